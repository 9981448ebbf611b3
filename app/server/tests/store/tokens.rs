use std::time::Duration;

use server::store::{
    JsonText, Role,
    api_tokens::{self, Scope, Scopes},
    jobs,
    runners::{self, IdentityError},
};

use crate::bed::json;

on_both_engines! {
    async fn an_api_token_is_shown_once_and_revoked(bed: Bed) {
        let (mei, lin) = (bed.user("mei", Role::Learner).await, bed.user("lin", Role::Learner).await);
        let store = &bed.store;
        let scopes = Scopes::of(&[Scope::SubmitReports, Scope::ReadReports]);
        let made = api_tokens::create(store, mei.id, " laptop ", scopes).await.expect("a token");
        let token = made.token.reveal();
        assert!(token.starts_with("vl_") && token.len() >= 46, "256 bits behind the prefix");
        assert_eq!(format!("{made:?}").matches(token).count(), 0);
        for column in ["token_hash", "prefix"] {
            assert!(!bed.column("api_tokens", column).await.concat().contains(&token[9..]), "{column}");
        }

        bed.clock.advance(Duration::from_secs(5));
        let holder = api_tokens::authenticate(store, token).await.expect("an answer").expect("a holder");
        assert_eq!((holder.user, holder.scopes, holder.token), (mei.id, scopes, made.id));
        for wrong in ["", "vl_", &token[..token.len() - 1], &token.to_lowercase()] {
            assert_eq!(api_tokens::authenticate(store, wrong).await.expect("an answer"), None, "{wrong:?}");
        }

        let listed = api_tokens::list(store, mei.id).await.expect("a list");
        assert_eq!(listed.len(), 1);
        assert_eq!((listed[0].name.as_str(), listed[0].prefix.as_str()), ("laptop", &token[..9]));
        assert_eq!(listed[0].last_used_ms, Some(store.now()));
        assert_eq!(api_tokens::list(store, lin.id).await.expect("a list"), []);

        assert!(!api_tokens::revoke(store, lin.id, made.id).await.expect("an answer"), "another's");
        assert!(api_tokens::revoke(store, mei.id, made.id).await.expect("an answer"));
        assert_eq!(api_tokens::authenticate(store, token).await.expect("an answer"), None);
        assert_eq!(api_tokens::list(store, mei.id).await.expect("a list"), []);
    }

    async fn a_runners_key_is_bound_by_its_first_use(bed: Bed) {
        let (mei, lin) = (bed.instructor("mei").await, bed.user("lin", Role::Learner).await);
        let store = &bed.store;
        let made = runners::register(store, "gpu-1", Some(mei.id)).await.expect("a runner");
        let token = made.token.reveal();
        let fresh = runners::authenticate(store, token).await.expect("an answer").expect("the runner");
        assert_eq!((fresh.id, fresh.public_key, fresh.last_seen_ms), (made.id, None, Some(store.now())));

        let (own, other): ([u8; 32], [u8; 32]) = ([7; 32], [8; 32]);
        let facts: JsonText = json(r#"{"cpu": "x"}"#);
        for (key, binds) in [(&own, true), (&own, true), (&other, false), (&own, true)] {
            let bound = runners::bind_identity(store, made.id, key, "gpu-one", &facts).await;
            assert_eq!(bound.is_ok(), binds);
            assert!(binds || matches!(bound, Err(IdentityError::OtherKey)));
        }
        let seen = runners::list(store, mei.viewer()).await.expect("a list");
        assert_eq!(seen.len(), 1);
        assert_eq!((seen[0].public_key.as_deref(), seen[0].name.as_str()), (Some(own.as_slice()), "gpu-one"));
        assert_eq!(runners::list(store, lin.viewer()).await.expect("a list"), []);

        assert!(!runners::revoke(store, lin.viewer(), made.id).await.expect("an answer"));
        assert!(runners::revoke(store, mei.viewer(), made.id).await.expect("an answer"));
        assert_eq!(runners::authenticate(store, token).await.expect("an answer"), None);
        assert!(matches!(runners::bind_identity(store, made.id, &own, "x", &facts).await, Err(IdentityError::OtherKey)));
    }

    async fn a_runners_token_ends_by_itself(bed: Bed) {
        let (mei, store) = (bed.instructor("mei").await, &bed.store);
        bed.user("lin", Role::Learner).await;
        for lifetime in runners::Lifetime::ALL {
            let made = runners::register_for(store, "r", Some(mei.id), lifetime).await.expect("a runner");
            let token = made.token.reveal();
            let begin = store.now();
            assert_eq!(made.expires_ms, begin.plus(runners::DAY * lifetime.days()));
            bed.clock.set(made.expires_ms.minus(Duration::from_millis(1)));
            let seen = runners::authenticate(store, token).await.expect("an answer").expect("the runner");
            assert_eq!((seen.id, seen.expires_ms), (made.id, Some(made.expires_ms)));
            assert!(seen.is_live(store.now()));
            assert_eq!(runners::expired(store, token).await.expect("an answer"), None);

            bed.clock.set(made.expires_ms);
            assert!(!seen.is_live(store.now()));
            assert_eq!(runners::authenticate(store, token).await.expect("an answer"), None);
            assert_eq!(runners::expired(store, token).await.expect("an answer"), Some(made.expires_ms));
            assert_eq!(runners::expired(store, "vr_other").await.expect("an answer"), None);
            assert!(runners::revoke(store, mei.viewer(), made.id).await.expect("an answer"));
            assert_eq!(runners::expired(store, token).await.expect("an answer"), None, "revoked");
        }
    }

    /// Nor does it get a job by a question that was open when its token ended.
    async fn a_runner_whose_token_ended_gets_no_job(bed: Bed) {
        let lin = bed.user("lin", Role::Learner).await;
        let runner = bed.runner("r", None).await;
        bed.job(lin.id, "rmsnorm").await;
        bed.clock.advance(runners::DAY * runners::Lifetime::default().days());
        let limits = Default::default();
        assert!(jobs::claim(&bed.store, runner, &limits).await.expect("an answer").is_none());
        bed.clock.set(crate::bed::START);
        assert!(jobs::claim(&bed.store, runner, &limits).await.expect("an answer").is_some());
    }

    async fn an_instructor_sees_and_revokes_own_runners(bed: Bed) {
        let (mei, kai) = (bed.instructor("mei").await, bed.instructor("kai").await);
        let store = &bed.store;
        let own = runners::register(store, "own", Some(mei.id)).await.expect("a runner");
        let free = runners::register(store, "free", None).await.expect("a runner");
        for (viewer, names) in [(&mei, vec!["own"]), (&kai, vec![])] {
            let seen = runners::list(store, viewer.viewer()).await.expect("a list");
            assert_eq!(seen.iter().map(|r| r.name.as_str()).collect::<Vec<_>>(), names, "{}", viewer.login);
        }
        for (viewer, runner, ends) in [(&kai, own.id, false), (&mei, free.id, false), (&mei, own.id, true)] {
            assert_eq!(runners::revoke(store, viewer.viewer(), runner).await.expect("an answer"), ends, "{}", viewer.login);
        }
        assert!(runners::authenticate(store, own.token.reveal()).await.expect("an answer").is_none());
        assert!(runners::authenticate(store, free.token.reveal()).await.expect("an answer").is_some());
    }

    /// A machine's name for itself is taken only when people can read it.
    async fn an_unseen_name_of_a_runner_is_not_taken(bed: Bed) {
        let mei = bed.instructor("mei").await;
        let runner = runners::register(&bed.store, " gpu\u{200b}-1 ", Some(mei.id)).await.expect("a runner").id;
        for (sent, shown) in [("\u{200b}\u{3164}", "gpu-1"), ("", "gpu-1"), ("\u{202e}lab-2\u{0}", "lab-2")] {
            runners::bind_identity(&bed.store, runner, &[7; 32], sent, &json("{}")).await.expect("bound");
            let seen = runners::list(&bed.store, mei.viewer()).await.expect("a list");
            assert_eq!(seen[0].name, shown, "{sent:?}");
        }
    }
}
