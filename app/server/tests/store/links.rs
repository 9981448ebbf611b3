use std::time::Duration;

use server::{
    auth::accounts::{self, FieldError, LinkUseError, NewAccount, SignInError},
    store::{
        LinkPurpose, Role,
        api_tokens::{self, Scopes},
        links::{self, LIFETIME, LinkError},
        users::{LoginName, NewUser},
    },
};

const ACCOUNT: NewAccount<'_> = NewAccount { login: "mei", display_name: "梅", password: "correct horse battery" };

on_both_engines! {
    async fn a_set_up_link_makes_one_instructor(bed: Bed) {
        let auth = bed.auth();
        let link = links::issue_setup(&bed.store).await.expect("a link");
        assert_eq!(link.expires, bed.store.now().plus(LIFETIME));
        let token = link.token.reveal();
        assert!(token.len() >= 43, "256 bits");
        assert!(!bed.column("one_time_links", "token_hash").await.concat().contains(token));
        assert_eq!(format!("{:?}", link.token), "«hidden»");

        let user = accounts::set_up(&auth, token, ACCOUNT).await.expect("an instructor");
        assert_eq!(bed.reload(user).await.role, Role::Instructor);
        let second = NewAccount { login: "second", ..ACCOUNT };
        assert!(matches!(accounts::set_up(&auth, token, second).await, Err(LinkUseError::NotValid)));
    }

    /// A form with a mistake leaves the link good.
    async fn mistakes_do_not_use_a_link(bed: Bed) {
        let auth = bed.auth();
        bed.user("taken", Role::Learner).await;
        let link = links::issue_setup(&bed.store).await.expect("a link");
        let token = link.token.reveal();
        let short = NewAccount { password: "short", ..ACCOUNT };
        let nameless = NewAccount { display_name: " ", ..ACCOUNT };
        let taken = NewAccount { login: "Taken", ..ACCOUNT };
        assert!(matches!(accounts::set_up(&auth, token, short).await, Err(LinkUseError::Field(FieldError::Password(_)))));
        assert!(matches!(accounts::set_up(&auth, token, nameless).await, Err(LinkUseError::Field(FieldError::DisplayName))));
        assert!(matches!(accounts::set_up(&auth, token, taken).await, Err(LinkUseError::LoginTaken)));
        accounts::set_up(&auth, token, ACCOUNT).await.expect("still good");
    }

    async fn links_end(bed: Bed) {
        let auth = bed.auth();
        let old = links::issue_setup(&bed.store).await.expect("a link");
        let new = links::issue_setup(&bed.store).await.expect("a link");
        for (token, purpose, valid) in [
            (old.token.reveal(), LinkPurpose::Setup, false),
            (new.token.reveal(), LinkPurpose::Setup, true),
            (new.token.reveal(), LinkPurpose::Reset, false),
            ("", LinkPurpose::Setup, false),
        ] {
            assert_eq!(links::is_valid(&bed.store, token, purpose).await.expect("an answer"), valid);
        }
        bed.clock.advance(LIFETIME - Duration::from_millis(1));
        assert!(links::is_valid(&bed.store, new.token.reveal(), LinkPurpose::Setup).await.expect("an answer"));
        bed.clock.advance(Duration::from_millis(1));
        assert!(matches!(accounts::set_up(&auth, new.token.reveal(), ACCOUNT).await, Err(LinkUseError::NotValid)));
    }

    async fn old_links_are_forgotten(bed: Bed) {
        links::issue_setup(&bed.store).await.expect("a link");
        for (days, kept) in [(0, 1), (89, 1), (2, 0)] {
            bed.clock.advance(Duration::from_secs(days * 24 * 3600));
            server::store::sweep(&bed.store).await.expect("swept");
            assert_eq!(bed.column("one_time_links", "id").await.len(), kept, "{days} days later");
        }
    }

    async fn sixteen_uses_at_once_make_one_account(bed: Bed) {
        let link = links::issue_setup(&bed.store).await.expect("a link");
        let mut uses = tokio::task::JoinSet::new();
        for n in 0..16 {
            let (store, token) = (bed.store.clone(), link.token.clone());
            uses.spawn(async move {
                let login = LoginName::parse(&format!("mei{n}")).expect("a login name");
                let new = NewUser { login: &login, display_name: "Mei", role: Role::Instructor, password_hash: "$none" };
                links::use_setup(&store, token.reveal(), &new).await
            });
        }
        let results = uses.join_all().await;
        assert_eq!(results.iter().filter(|r| r.is_ok()).count(), 1);
        assert_eq!(results.iter().filter(|r| matches!(r, Err(LinkError::NotValid))).count(), 15);
        assert_eq!(bed.column("users", "login").await.len(), 1);
    }

    async fn a_reset_replaces_the_password(bed: Bed) {
        let auth = bed.auth();
        let mei = bed.instructor("mei").await;
        let (_, code) = bed.class(&mei, "A").await;
        let account = NewAccount { login: "lin", ..ACCOUNT };
        let (lin, _) = accounts::sign_up(&auth, code.as_str(), account).await.expect("signed up");

        let first = links::issue_reset(&bed.store, mei.viewer(), lin).await.expect("a link");
        let link = links::issue_reset(&bed.store, mei.viewer(), lin).await.expect("a link");
        let new = "staple battery horse";
        assert!(matches!(accounts::reset_password(&auth, first.token.reveal(), new).await, Err(LinkUseError::NotValid)));
        assert!(matches!(
            accounts::reset_password(&auth, link.token.reveal(), "lin-2026-123").await,
            Err(LinkUseError::Field(FieldError::Password(_)))
        ));
        assert_eq!(accounts::reset_password(&auth, link.token.reveal(), new).await.expect("reset"), lin);
        assert!(matches!(accounts::reset_password(&auth, link.token.reveal(), new).await, Err(LinkUseError::NotValid)));
        assert!(matches!(accounts::sign_in(&auth, "lin", ACCOUNT.password).await, Err(SignInError::Refused)));
        let user = accounts::sign_in(&auth, "LIN", new).await.expect("signed in");
        assert_eq!((user.id, user.auth_epoch), (lin, 1));
    }

    async fn only_the_teacher_of_a_learner_resets(bed: Bed) {
        let (mei, other) = (bed.instructor("mei").await, bed.instructor("other").await);
        let ((_, code), (_, others)) = (bed.class(&mei, "A").await, bed.class(&other, "B").await);
        let (lin, wen) = (bed.learner("lin", &code).await, bed.learner("wen", &others).await);
        // A colleague who visits a class as a member is not a learner whose account can be taken.
        server::store::classes::join(&bed.store, &code, other.id).await.expect("a visitor");
        for (issuer, target, allowed) in [
            (&mei, &lin, true),
            (&mei, &wen, false),
            (&other, &wen, true),
            (&other, &lin, false),
            (&lin, &lin, false),
            (&lin, &wen, false),
            (&mei, &mei, false),
            (&mei, &other, false),
        ] {
            let issued = links::issue_reset(&bed.store, issuer.viewer(), target.id).await;
            assert_eq!(issued.is_ok(), allowed, "{} for {}", issuer.login, target.login);
            assert!(allowed || matches!(issued, Err(LinkError::NotTaught)));
        }
    }

    /// Whoever runs the server helps an instructor who forgot the password.
    async fn an_instructor_is_helped_from_the_command_line(bed: Bed) {
        let auth = bed.auth();
        let mei = accounts::create(&auth, Role::Instructor, ACCOUNT).await.expect("an account");
        bed.user("lin", Role::Learner).await;
        for login in ["nobody", "lin"] {
            let login = LoginName::parse(login).expect("a login name");
            let refused = links::issue_instructor_reset(&bed.store, &login).await;
            assert!(matches!(refused, Err(LinkError::NoInstructor)), "{login:?}");
        }
        let login = LoginName::parse("MEI").expect("a login name");
        let old = links::issue_instructor_reset(&bed.store, &login).await.expect("a link");
        let link = links::issue_instructor_reset(&bed.store, &login).await.expect("a link");
        let new = "staple battery horse";
        for (token, works) in [(&old, false), (&link, true), (&link, false)] {
            let done = accounts::reset_password(&auth, token.token.reveal(), new).await;
            assert_eq!(done.is_ok(), works);
        }
        assert_eq!(accounts::sign_in(&auth, "mei", new).await.expect("signed in").id, mei);
        // A further set-up link works beside an instructor.
        let setup = links::issue_setup(&bed.store).await.expect("a link");
        let second = NewAccount { login: "kai", ..ACCOUNT };
        accounts::set_up(&auth, setup.token.reveal(), second).await.expect("a second instructor");
    }

    async fn a_reset_ends_the_tokens(bed: Bed) {
        let auth = bed.auth();
        let mei = bed.instructor("mei").await;
        let (_, code) = bed.class(&mei, "A").await;
        let (lin, wen) = (bed.learner("lin", &code).await, bed.learner("wen", &code).await);
        let mut tokens = Vec::new();
        for user in [&lin, &lin, &wen] {
            tokens.push(api_tokens::create(&bed.store, user.id, "t", Scopes::default()).await.expect("a token").token);
        }
        let link = links::issue_reset(&bed.store, mei.viewer(), lin.id).await.expect("a link");
        accounts::reset_password(&auth, link.token.reveal(), "staple battery horse").await.expect("reset");
        for (token, works) in tokens.iter().zip([false, false, true]) {
            let holder = api_tokens::authenticate(&bed.store, token.reveal()).await.expect("an answer");
            assert_eq!(holder.is_some(), works);
        }
    }
}
