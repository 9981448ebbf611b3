use std::time::Duration;

use server::store::{
    Role, UserId, UtcMs,
    sessions::{self, SessionKey, SessionRows},
};
use time::OffsetDateTime;
use tower_sessions::{
    ExpiredDeletion, SessionStore,
    session::{Id, Record},
};

use crate::bed::START;

fn record(user: Option<UserId>, expires: UtcMs) -> Record {
    let mut data = std::collections::HashMap::new();
    data.insert("user_agent".into(), "Firefox 140".into());
    if let Some(user) = user {
        data.insert("user".into(), user.to_string().into());
    }
    let expiry_date = OffsetDateTime::from_unix_timestamp_nanos(i128::from(expires.0) * 1_000_000).expect("a time");
    Record { id: Id::default(), data, expiry_date }
}

const HOUR: Duration = Duration::from_secs(3600);

on_both_engines! {
    async fn kept_changed_deleted(bed: Bed) {
        let rows = SessionRows::new(bed.store.clone());
        let mut record = record(None, START.plus(HOUR));
        rows.create(&mut record).await.expect("created");
        assert_eq!(rows.load(&record.id).await.expect("an answer").as_ref(), Some(&record));
        record.data.insert("显存".into(), 80.into());
        rows.save(&record).await.expect("saved");
        assert_eq!(rows.load(&record.id).await.expect("an answer").as_ref(), Some(&record));
        rows.delete(&record.id).await.expect("deleted");
        assert_eq!(rows.load(&record.id).await.expect("an answer"), None);
        // A request that was under way when its session ended does not bring it back.
        rows.save(&record).await.expect("nothing to save");
        assert_eq!(rows.load(&record.id).await.expect("an answer"), None);
    }

    async fn a_taken_id_is_drawn_again(bed: Bed) {
        let rows = SessionRows::new(bed.store.clone());
        let mut first = record(None, START.plus(HOUR));
        rows.create(&mut first).await.expect("created");
        let mut second = Record { id: first.id, ..record(None, START.plus(HOUR)) };
        rows.create(&mut second).await.expect("created");
        assert_ne!(first.id, second.id);
    }

    async fn they_expire(bed: Bed) {
        let rows = SessionRows::new(bed.store.clone());
        let (mut short, mut long) = (record(None, START.plus(HOUR)), record(None, START.plus(HOUR * 3)));
        rows.create(&mut short).await.expect("created");
        rows.create(&mut long).await.expect("created");
        bed.clock.advance(HOUR);
        assert_eq!(rows.load(&short.id).await.expect("an answer"), None, "even before the sweep");
        assert!(rows.load(&long.id).await.expect("an answer").is_some());
        rows.delete_expired().await.expect("swept");
        assert_eq!(bed.column("sessions", "key").await, [SessionKey::of(&long.id).as_str()]);
    }

    async fn the_cookie_is_not_in_the_database(bed: Bed) {
        let rows = SessionRows::new(bed.store.clone());
        let mut record = record(None, START.plus(HOUR));
        rows.create(&mut record).await.expect("created");
        let id = record.id.to_string();
        for column in ["key", "data"] {
            assert!(!bed.column("sessions", column).await.concat().contains(&id), "{column}");
        }
    }

    async fn own_ones_are_listed_and_ended(bed: Bed) {
        let (mei, lin) = (bed.user("mei", Role::Learner).await, bed.user("lin", Role::Learner).await);
        let rows = SessionRows::new(bed.store.clone());
        let mut keys = Vec::new();
        for user in [mei.id, mei.id, mei.id, lin.id] {
            let mut record = record(Some(user), START.plus(HOUR * 24));
            rows.create(&mut record).await.expect("created");
            keys.push(SessionKey::of(&record.id));
            bed.clock.advance(Duration::from_secs(1));
        }
        let store = &bed.store;
        let listed = sessions::list(store, mei.id).await.expect("a list");
        let shown: Vec<_> = listed.iter().map(|s| (s.key.clone(), s.user_agent.as_str())).collect();
        let expected = [2, 1, 0].map(|n: usize| (keys[n].clone(), "Firefox 140"));
        assert_eq!(shown, expected, "the last seen first");

        bed.clock.advance(HOUR);
        sessions::touch(store, &keys[0]).await.expect("touched");
        let first = &sessions::list(store, mei.id).await.expect("a list")[0];
        assert_eq!((first.key.clone(), first.last_seen_ms), (keys[0].clone(), store.now()));

        assert!(!sessions::end(store, mei.id, &keys[3]).await.expect("an answer"), "another's");
        assert!(sessions::end(store, mei.id, &keys[2]).await.expect("an answer"));
        assert!(!sessions::end(store, mei.id, &keys[2]).await.expect("an answer"), "ended already");
        assert_eq!(sessions::end_others(store, mei.id, &keys[0]).await.expect("ended"), 1);
        assert_eq!(sessions::list(store, mei.id).await.expect("a list").len(), 1);
        assert_eq!(sessions::list(store, lin.id).await.expect("a list").len(), 1);
    }

    /// A page view is not a write: "last seen" moves in steps.
    async fn last_seen_moves_in_steps(bed: Bed) {
        let mei = bed.user("mei", Role::Learner).await;
        let rows = SessionRows::new(bed.store.clone());
        let mut record = record(Some(mei.id), START.plus(HOUR));
        rows.create(&mut record).await.expect("created");
        let key = SessionKey::of(&record.id);
        for (after_s, seen_s) in [(60, 0), (240, 0), (1, 301), (300, 301), (1, 602)] {
            bed.clock.advance(Duration::from_secs(after_s));
            sessions::touch(&bed.store, &key).await.expect("touched");
            let seen = sessions::list(&bed.store, mei.id).await.expect("a list")[0].last_seen_ms;
            let now = bed.store.now();
            assert_eq!(seen, START.plus(Duration::from_secs(seen_s)), "at {now:?}");
        }
    }
}
