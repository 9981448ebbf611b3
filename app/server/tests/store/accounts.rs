use server::{
    auth::{
        accounts::{self, ChangePasswordError, FieldError, NewAccount, SignInError, SignUpError},
        password::{MAX_BYTES, PasswordError},
    },
    store::{
        Role,
        api_tokens::{self, Scopes},
        classes,
        users::LoginNameError,
    },
};

const PASSWORD: &str = "correct horse battery";

on_both_engines! {
    async fn signing_up(bed: Bed) {
        let auth = bed.auth();
        let mei = bed.instructor("mei").await;
        let (class, code) = bed.class(&mei, "A").await;
        let shown = code.to_string().to_lowercase();
        let good = NewAccount { login: "Lin.Wei", display_name: "林 薇\u{200b}", password: PASSWORD };

        type Expected = fn(&SignUpError) -> bool;
        let wrong: &[(&str, NewAccount<'_>, Expected)] = &[
            ("", good, |e| matches!(e, SignUpError::Code)),
            ("ABCDE-23456", good, |e| matches!(e, SignUpError::Code)),
            (&shown, NewAccount { login: "l", ..good }, |e| {
                matches!(e, SignUpError::Field(FieldError::Login(LoginNameError::Length { found: 1, .. })))
            }),
            (&shown, NewAccount { login: "lin wei", ..good }, |e| {
                matches!(e, SignUpError::Field(FieldError::Login(LoginNameError::Character { found: ' ' })))
            }),
            (&shown, NewAccount { display_name: "a\u{0}b", ..good }, |e| {
                matches!(e, SignUpError::Field(FieldError::DisplayName))
            }),
            (&shown, NewAccount { display_name: "\u{200b}\u{3164}", ..good }, |e| {
                matches!(e, SignUpError::Field(FieldError::DisplayName))
            }),
            (&shown, NewAccount { password: "lin.wei2026", ..good }, |e| {
                matches!(e, SignUpError::Field(FieldError::Password(PasswordError::Guessable)))
            }),
            (&shown, NewAccount { login: "MEI", ..good }, |e| matches!(e, SignUpError::LoginTaken)),
        ];
        for (code, account, expected) in wrong {
            let err = accounts::sign_up(&auth, code, *account).await.expect_err("refused");
            assert!(expected(&err), "{code:?} {:?}: {err:?}", account.login);
        }
        let (user, joined) = accounts::sign_up(&auth, &shown, good).await.expect("signed up");
        let user = bed.reload(user).await;
        assert_eq!((joined, user.role), (class, Role::Learner));
        assert_eq!((user.login.as_str(), user.display_name.as_str()), ("Lin.Wei", "林 薇"));
        assert!(bed.column("users", "password_hash").await.iter().all(|hash| !hash.contains(PASSWORD)));
    }

    /// Whatever is wrong, the answer is one and the same.
    async fn signing_in_tells_nobody_who_exists(bed: Bed) {
        let auth = bed.auth();
        let account = NewAccount { login: "mei", display_name: "Mei", password: PASSWORD };
        let mei = accounts::create(&auth, Role::Instructor, account).await.expect("an account");
        let long = "x".repeat(MAX_BYTES + 1);
        for (login, password) in [
            ("mei", "correct horse"),
            ("mei", ""),
            ("mei", &long),
            ("nobody", PASSWORD),
            ("", PASSWORD),
            ("not a login\u{0}", PASSWORD),
            (&long, PASSWORD),
        ] {
            let err = accounts::sign_in(&auth, login, password).await.expect_err("refused");
            assert!(matches!(err, SignInError::Refused), "{login:.20} {password:.20}");
            assert_eq!(err.to_string(), SignInError::Refused.to_string());
        }
        for login in ["mei", "MEI", " mei "] {
            assert_eq!(accounts::sign_in(&auth, login, PASSWORD).await.expect("signed in").id, mei);
        }
    }

    async fn changing_the_password(bed: Bed) {
        let auth = bed.auth();
        let account = NewAccount { login: "mei", display_name: "Mei", password: PASSWORD };
        let id = accounts::create(&auth, Role::Learner, account).await.expect("an account");
        let user = bed.reload(id).await;
        let new = "staple battery horse";
        let refused = accounts::change_password(&auth, &user, "wrong", new, false).await;
        assert!(matches!(refused, Err(ChangePasswordError::OldWrong)));
        let refused = accounts::change_password(&auth, &user, PASSWORD, "short", false).await;
        assert!(matches!(refused, Err(ChangePasswordError::New(PasswordError::TooShort { found: 5, .. }))));

        let changed = accounts::change_password(&auth, &user, PASSWORD, new, false).await.expect("changed");
        assert_eq!(changed.auth_epoch, user.auth_epoch + 1, "older sessions are void");
        assert_eq!(bed.reload(id).await, changed);
        assert!(accounts::sign_in(&auth, "mei", PASSWORD).await.is_err());
        assert_eq!(accounts::sign_in(&auth, "mei", new).await.expect("signed in"), changed);
    }

    /// Two browsers change it at the same moment: one wins, the other is told.
    async fn changing_it_twice_at_once(bed: Bed) {
        let auth = bed.auth();
        let account = NewAccount { login: "mei", display_name: "Mei", password: PASSWORD };
        let id = accounts::create(&auth, Role::Learner, account).await.expect("an account");
        let user = bed.reload(id).await;
        let change = |new: &'static str| accounts::change_password(&auth, &user, PASSWORD, new, false);
        let (a, b) = tokio::join!(change("staple battery one"), change("staple battery two"));
        assert!(a.is_ok() != b.is_ok(), "{a:?} {b:?}");
        assert_eq!(bed.reload(id).await.auth_epoch, 1);
    }

    async fn a_learner_joins_a_second_class(bed: Bed) {
        let mei = bed.instructor("mei").await;
        let ((_, a), (_, b)) = (bed.class(&mei, "A").await, bed.class(&mei, "B").await);
        let lin = bed.learner("lin", &a).await;
        classes::join(&bed.store, &b, lin.id).await.expect("joined");
        let names: Vec<_> = classes::of_learner(&bed.store, lin.id).await.expect("classes").into_iter().map(|c| c.name).collect();
        assert_eq!(names.len(), 2);
    }

    /// Tokens stay unless the owner says that they shall not.
    async fn a_new_password_ends_tokens_when_asked(bed: Bed) {
        let auth = bed.auth();
        let account = NewAccount { login: "mei", display_name: "Mei", password: PASSWORD };
        let id = accounts::create(&auth, Role::Learner, account).await.expect("an account");
        let token = api_tokens::create(&bed.store, id, "t", Scopes::default()).await.expect("a token").token;
        let passwords = [PASSWORD, "staple battery one", "staple battery two"];
        for (change, revoke) in passwords.windows(2).zip([false, true]) {
            let user = bed.reload(id).await;
            accounts::change_password(&auth, &user, change[0], change[1], revoke).await.expect("changed");
            let holder = api_tokens::authenticate(&bed.store, token.reveal()).await.expect("an answer");
            assert_eq!(holder.is_none(), revoke);
        }
    }
}
