//! The route of the course as pages show it.

/// Two texts, one per language.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Both {
    pub zh: String,
    pub en: String,
}

impl Both {
    pub fn get(&self, lang: evidence::Lang) -> &str {
        lang.pick(&self.zh, &self.en)
    }
}

/// The whole route, in order, and the pages outside it.
#[derive(Debug, Clone, Default)]
pub struct Route {
    pub tasks: Vec<Task>,
    pub pages: Vec<PageRef>,
}

/// A page outside the Tasks.
#[derive(Debug, Clone)]
pub struct PageRef {
    /// `tools/others`
    pub path: String,
    pub title: Both,
    pub lead: Both,
}

#[derive(Debug, Clone)]
pub struct Task {
    pub id: String,
    pub title: Both,
    pub branch: Branch,
    pub optional: bool,
    pub minutes: u32,
    pub after: Vec<String>,
    pub cpu: Both,
    pub gpu: Both,
    pub exit: Both,
    pub lessons: Vec<LessonRef>,
    pub labs: Vec<LabRef>,
}

#[derive(Debug, Clone)]
pub struct LessonRef {
    /// `task4/kv-cache`
    pub path: String,
    pub title: Both,
}

#[derive(Debug, Clone)]
pub struct LabRef {
    pub id: String,
    pub title: Both,
}

/// A part of the road map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Branch {
    Core,
    Training,
    Inference,
    Extension,
    Across,
}

impl Branch {
    pub const ALL: [Branch; 5] = [Branch::Core, Branch::Training, Branch::Inference, Branch::Extension, Branch::Across];

    pub fn id(self) -> &'static str {
        match self {
            Branch::Core => "core",
            Branch::Training => "training",
            Branch::Inference => "inference",
            Branch::Extension => "extension",
            Branch::Across => "across",
        }
    }

    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|branch| branch.id() == id)
    }
}
