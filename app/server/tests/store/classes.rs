use server::store::{
    Role,
    classes::{self, ClassError, JoinCode, JoinError},
    users::{CreateUserError, LoginName, NewUser, create},
};

fn learner(login: &LoginName) -> NewUser<'_> {
    NewUser { login, display_name: "Lin", role: Role::Learner, password_hash: "$none" }
}

on_both_engines! {
    async fn a_login_name_is_taken_in_any_case(bed: Bed) {
        bed.user("Mei.Lin", Role::Learner).await;
        for (login, free) in [("mei.lin", false), ("MEI.LIN", false), ("Mei.Lin", false), ("mei.lin2", true)] {
            let login = LoginName::parse(login).expect("a login name");
            let made = create(&bed.store, &learner(&login)).await;
            assert_eq!(made.is_ok(), free, "{login:?}");
            assert!(free || matches!(made, Err(CreateUserError::LoginTaken)));
        }
    }

    async fn codes_open_and_close(bed: Bed) {
        let mei = bed.instructor("mei").await;
        let (class, code) = bed.class(&mei, " GPU memory 2026 ").await;
        let store = &bed.store;
        assert!(classes::code_is_open(store, &code).await.expect("an answer"));

        classes::set_open(store, mei.viewer(), class, false).await.expect("closed");
        assert!(!classes::code_is_open(store, &code).await.expect("an answer"));
        let late = bed.user("late", Role::Learner).await;
        assert!(matches!(classes::join(store, &code, late.id).await, Err(JoinError::Code)));

        classes::set_open(store, mei.viewer(), class, true).await.expect("open");
        let new = classes::rotate_code(store, mei.viewer(), class).await.expect("a new code");
        for (code, opens) in [(&code, false), (&new, true)] {
            assert_eq!(classes::code_is_open(store, code).await.expect("an answer"), opens);
        }
        assert_eq!(classes::join(store, &new, late.id).await.expect("joined"), class);
        assert_eq!(classes::join(store, &new, late.id).await.expect("joined again"), class);

        let taught = classes::taught(store, mei.viewer()).await.expect("classes");
        assert_eq!(taught.iter().map(|c| (c.name.as_str(), c.learners)).collect::<Vec<_>>(), [("GPU memory 2026", 1)]);
        let own = classes::of_learner(store, late.id).await.expect("classes");
        assert_eq!(own.iter().map(|c| c.id).collect::<Vec<_>>(), [class]);
    }

    /// Account and membership, or neither; only the holder of a code learns that a name is taken.
    async fn sign_up_is_all_or_nothing(bed: Bed) {
        let mei = bed.instructor("mei").await;
        let (class, code) = bed.class(&mei, "A").await;
        let wrong = JoinCode::random().expect("a code");
        let (free, taken) = (LoginName::parse("lin").expect("a name"), LoginName::parse("MEI").expect("a name"));

        assert!(matches!(classes::sign_up(&bed.store, &wrong, &learner(&free)).await, Err(JoinError::Code)));
        assert!(matches!(classes::sign_up(&bed.store, &wrong, &learner(&taken)).await, Err(JoinError::Code)));
        assert!(matches!(classes::sign_up(&bed.store, &code, &learner(&taken)).await, Err(JoinError::LoginTaken)));
        assert_eq!(bed.column("users", "login").await, ["mei"], "nothing was left behind");

        let (user, joined) = classes::sign_up(&bed.store, &code, &learner(&free)).await.expect("signed up");
        assert_eq!(joined, class);
        let members = classes::members(&bed.store, mei.viewer(), class).await.expect("members");
        assert_eq!(members.iter().map(|m| m.user_id).collect::<Vec<_>>(), [user]);
    }

    async fn only_its_instructor_rules_a_class(bed: Bed) {
        let (mei, other) = (bed.instructor("mei").await, bed.instructor("other").await);
        let (class, code) = bed.class(&mei, "A").await;
        let lin = bed.learner("lin", &code).await;
        let store = &bed.store;
        for stranger in [other.viewer(), lin.viewer()] {
            assert!(matches!(classes::rotate_code(store, stranger, class).await, Err(ClassError::NotTaught)));
            assert!(matches!(classes::set_open(store, stranger, class, false).await, Err(ClassError::NotTaught)));
            assert!(matches!(classes::remove_member(store, stranger, class, lin.id).await, Err(ClassError::NotTaught)));
            assert_eq!(classes::get(store, stranger, class).await.expect("an answer"), None);
            assert_eq!(classes::taught(store, stranger).await.expect("classes"), []);
        }
        assert!(matches!(classes::create(store, lin.id, "mine").await, Err(ClassError::NotTaught)));
        for name in [" \n ", "\u{200b}\u{202e}", "\u{3164}", "—"] {
            assert!(matches!(classes::create(store, mei.id, name).await, Err(ClassError::NameEmpty)), "{name:?}");
        }
        classes::remove_member(store, mei.viewer(), class, lin.id).await.expect("removed");
        assert_eq!(classes::members(store, mei.viewer(), class).await.expect("members"), []);
        // The instructor is a member too, but not one that can be removed like a learner.
        assert!(matches!(classes::remove_member(store, mei.viewer(), class, mei.id).await, Err(ClassError::NotTaught)));
    }
}
