//! The demo class.

use server::{
    cli::demo,
    store::{Role, classes, grades, users},
};

use crate::site::Site;

#[tokio::test]
async fn twice_is_once() {
    let site = Site::open().await;
    let mut seen = Vec::new();
    for _ in 0..2 {
        demo::add(&site.app).await.expect("a demo class");
        let mut counts = Vec::new();
        for table in ["users", "classes", "memberships", "reports", "grades", "quiz_answers", "lesson_progress"] {
            let column = if matches!(table, "memberships" | "lesson_progress") { "user_id" } else { "id" };
            counts.push((table, site.bed.column(table, column).await.len()));
        }
        seen.push(counts);
    }
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[0][..5], [("users", 4), ("classes", 1), ("memberships", 4), ("reports", 5), ("grades", 5)]);
    assert!(seen[0][5].1 > 0 && seen[0][6].1 > 0, "{:?}", seen[0]);

    let owner = site.bed.column("classes", "owner_id").await[0].parse().expect("an id");
    let teacher = users::for_sign_in(&site.bed.store, owner).await.expect("an answer").expect("the teacher");
    assert_eq!(teacher.role, Role::Instructor);
    let class = classes::taught(&site.bed.store, teacher.viewer()).await.expect("classes").remove(0);
    let book = grades::gradebook(&site.bed.store, teacher.viewer(), class.id).await.expect("a gradebook");
    assert!(book.iter().any(|line| line.gpu_reports > 0 && line.gpu_earned > 0), "GPU evidence");
    assert!(book.iter().any(|line| line.cpu_reports > 0 && line.gpu_earned == 0), "CPU evidence");
    assert!(book.iter().any(|line| line.lab.is_none()), "a learner without evidence");
}
