use super::{Role, UserId};

/// On whose behalf rows are read. Every query over learners' rows restricts itself by this, in SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewer {
    /// Sees own rows.
    Learner(UserId),
    /// Sees own rows and those of the members of the classes that they teach.
    Instructor(UserId),
}

impl Viewer {
    pub fn new(id: UserId, role: Role) -> Self {
        match role {
            Role::Learner => Self::Learner(id),
            Role::Instructor => Self::Instructor(id),
        }
    }

    pub fn id(self) -> UserId {
        match self {
            Self::Learner(id) | Self::Instructor(id) => id,
        }
    }

    pub fn teaches(self) -> bool {
        matches!(self, Self::Instructor(_))
    }
}

/// The restriction on a column that holds a user id. It takes `$1` = `viewer.id()` and `$2` = `viewer.teaches()`.
macro_rules! visible {
    ($column:literal) => {
        concat!(
            "(",
            $column,
            " = $1 OR ($2 AND EXISTS (SELECT 1 FROM memberships seen ",
            "JOIN memberships teacher ON teacher.class_id = seen.class_id ",
            "WHERE seen.user_id = ",
            $column,
            " AND seen.role = 'learner' ",
            "AND teacher.user_id = $1 AND teacher.role = 'instructor')))"
        )
    };
}
