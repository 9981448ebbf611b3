//! Hand and keyboard of a reader.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use chromiumoxide::cdp::browser_protocol::browser::{SetDownloadBehaviorBehavior, SetDownloadBehaviorParams};
use chromiumoxide::cdp::browser_protocol::dom::SetFileInputFilesParams;
use chromiumoxide::cdp::browser_protocol::input::{
    DispatchKeyEventParams, DispatchKeyEventType, DispatchMouseEventParams, DispatchMouseEventType, InsertTextParams,
    MouseButton,
};
use chromiumoxide::cdp::js_protocol::runtime::EvaluateParams;
use serde::Deserialize;

use super::{Tab, quoted};
use crate::{Folder, until};

#[derive(Clone, Copy, PartialEq, Deserialize)]
struct Point {
    x: f64,
    y: f64,
}

/// Keys by name: the code and what they write.
const KEYS: [(&str, i64, &str); 12] = [
    ("Enter", 13, "\r"),
    ("Tab", 9, ""),
    ("Escape", 27, ""),
    ("Delete", 46, ""),
    ("ArrowRight", 39, ""),
    ("ArrowLeft", 37, ""),
    ("Home", 36, ""),
    ("End", 35, ""),
    ("PageUp", 33, ""),
    ("PageDown", 34, ""),
    ("j", 74, "j"),
    ("k", 75, "k"),
];

impl Tab {
    /// Presses the mouse in the middle of an element, once it is there, in view and not covered.
    ///
    /// # Panics
    /// When that is not so within the deadline.
    pub async fn click(&self, selector: &str) {
        let js = format!(
            "(() => {{
                const element = document.querySelector({});
                if (!element || element.disabled) return null;
                element.scrollIntoView({{ block: 'center', behavior: 'instant' }});
                const box = element.getClientRects()[0];
                if (!box || !box.width || !box.height) return null;
                const at = {{ x: box.x + box.width / 2, y: box.y + box.height / 2 }};
                const top = document.elementFromPoint(at.x, at.y);
                return top && (element.contains(top) || top.contains(element)) ? at : null;
            }})()",
            quoted(selector)
        );
        // Two looks in a row must find it at the same place: a page that is still moving would be hit elsewhere.
        let last = Mutex::new(None::<Point>);
        let look = || async {
            let now = self.try_eval::<Option<Point>>(&js).await.ok().flatten();
            let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
            let rests = now.is_some() && *last == now;
            *last = now;
            now.filter(|_| rests)
        };
        let Point { x, y } = until(&format!("{selector} can be clicked"), look).await;
        for kind in [
            DispatchMouseEventType::MouseMoved,
            DispatchMouseEventType::MousePressed,
            DispatchMouseEventType::MouseReleased,
        ] {
            let mut event = DispatchMouseEventParams::new(kind, x, y);
            event.button = Some(MouseButton::Left);
            event.click_count = Some(1);
            self.command(event).await;
        }
    }

    /// Clicks something that leads to another page, and waits for that page.
    ///
    /// # Panics
    /// When no other page comes within the deadline.
    pub async fn follow(&self, selector: &str) {
        self.eval::<bool>("window.left = false; true").await;
        self.click(selector).await;
        self.arrived(&format!("{selector} leads to another page")).await;
    }

    /// Waits until the page that was marked has gone and the next one is loaded.
    async fn arrived(&self, what: &str) {
        self.wait(what, "window.left === undefined").await;
        self.loaded().await;
    }

    /// Presses a key that leads to another page, and waits for that page.
    ///
    /// # Panics
    /// When no other page comes within the deadline.
    pub async fn turn(&self, key: &str) {
        self.eval::<bool>("window.left = false; true").await;
        self.press(key).await;
        self.arrived(&format!("{key} leads to another page")).await;
    }

    /// Types into a field in place of what stands there.
    ///
    /// # Panics
    /// When there is no such field within the deadline.
    pub async fn fill(&self, selector: &str, text: &str) {
        self.click(selector).await;
        self.eval::<bool>(&format!("document.querySelector({}).select(); true", quoted(selector))).await;
        self.command(InsertTextParams::new(text)).await;
    }

    /// Presses one key where the focus is.
    ///
    /// # Panics
    /// When the harness does not know the key.
    pub async fn press(&self, key: &str) {
        let Some((key, code, text)) = KEYS.into_iter().find(|(name, ..)| *name == key) else {
            panic!("the harness has no key {key}")
        };
        for kind in [DispatchKeyEventType::KeyDown, DispatchKeyEventType::KeyUp] {
            let mut event = DispatchKeyEventParams::new(kind.clone());
            event.key = Some(key.to_owned());
            event.code = Some(if text.len() == 1 && key.len() == 1 {
                format!("Key{}", key.to_uppercase())
            } else {
                key.to_owned()
            });
            event.windows_virtual_key_code = Some(code);
            if kind == DispatchKeyEventType::KeyDown && !text.is_empty() {
                event.text = Some(text.to_owned());
            }
            self.command(event).await;
        }
    }

    /// Puts the focus on an element.
    pub async fn focus(&self, selector: &str) {
        self.wait_for(selector).await;
        self.eval::<bool>(&format!("document.querySelector({}).focus(); true", quoted(selector))).await;
    }

    /// Chooses an option of a `select` by its value.
    ///
    /// # Panics
    /// When there is no such option.
    pub async fn choose(&self, selector: &str, value: &str) {
        self.wait_for(selector).await;
        let chosen: bool = self
            .eval(&format!(
                "(() => {{
                    const select = document.querySelector({});
                    select.value = {};
                    select.dispatchEvent(new Event('input', {{ bubbles: true }}));
                    select.dispatchEvent(new Event('change', {{ bubbles: true }}));
                    return select.value === {};
                }})()",
                quoted(selector),
                quoted(value),
                quoted(value)
            ))
            .await;
        assert!(chosen, "{selector} has no option {value}");
    }

    /// Clicks a link to a file and gives the file's name and text once it is there.
    ///
    /// # Panics
    /// When no file comes within the deadline.
    pub async fn download(&self, selector: &str) -> (String, String) {
        let folder = Folder::new("download");
        let mut params = SetDownloadBehaviorParams::new(SetDownloadBehaviorBehavior::Allow);
        params.download_path = Some(folder.path().to_string_lossy().into_owned());
        self.command(params).await;
        self.click(selector).await;
        let look = || async {
            let files = std::fs::read_dir(folder.path()).ok()?.flatten();
            let mut names = files.map(|file| file.file_name().to_string_lossy().into_owned());
            let name = names.find(|name| !name.starts_with('.') && !name.ends_with(".crdownload"))?;
            let text = std::fs::read_to_string(folder.path().join(&name)).ok()?;
            (!text.is_empty()).then_some((name, text))
        };
        until(&format!("{selector} gives a file"), look).await
    }

    /// Chooses a file in a file field, as the dialog would.
    ///
    /// # Panics
    /// When there is no such field.
    pub async fn upload(&self, selector: &str, file: &Path) {
        self.wait_for(selector).await;
        let field = self.command(EvaluateParams::new(format!("document.querySelector({})", quoted(selector)))).await;
        let mut params = SetFileInputFilesParams::new(vec![file.to_string_lossy().into_owned()]);
        params.object_id = field.result.object_id;
        self.command(params).await;
    }

    /// Drops a file with this text on an element, as a hand would.
    ///
    /// # Panics
    /// When there is no such element.
    pub async fn drop_text(&self, selector: &str, name: &str, text: &str) {
        self.wait_for(selector).await;
        let js = format!(
            "(() => {{ const dataTransfer = new DataTransfer(); dataTransfer.items.add(new File([{}], {})); \
             const init = {{ dataTransfer, bubbles: true, cancelable: true }}; const on = document.querySelector({}); \
             on.dispatchEvent(new DragEvent('dragover', init)); on.dispatchEvent(new DragEvent('drop', init)); return true; }})()",
            quoted(text),
            quoted(name),
            quoted(selector)
        );
        self.eval::<bool>(&js).await;
    }
}
