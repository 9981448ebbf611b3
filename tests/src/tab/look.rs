//! How a page looks.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chromiumoxide::cdp::browser_protocol::emulation::{
    MediaFeature, SetDeviceMetricsOverrideParams, SetEmulatedMediaParams,
};
use chromiumoxide::cdp::browser_protocol::page::{CaptureScreenshotFormat, CaptureScreenshotParams, Viewport};

use super::Tab;

/// Light or dark, as the reader's system asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    Light,
    Dark,
}

impl Scheme {
    pub const ALL: [Self; 2] = [Self::Light, Self::Dark];

    pub fn id(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

impl Tab {
    /// Sets the size of the view in CSS pixels; narrow views are phones.
    pub async fn size(&self, width: u32, height: u32) {
        self.command(SetDeviceMetricsOverrideParams::new(width, height, 1.0, width < 600)).await;
    }

    pub async fn scheme(&self, scheme: Scheme) {
        let feature = MediaFeature::new("prefers-color-scheme", scheme.id());
        self.command(SetEmulatedMediaParams { features: Some(vec![feature]), ..Default::default() }).await;
    }

    /// The view as WebP of a quality from 0 to 100; `whole` takes the page to its end.
    ///
    /// # Panics
    /// When the browser gives no picture.
    pub async fn picture(&self, quality: i64, whole: bool) -> Vec<u8> {
        let mut params = CaptureScreenshotParams {
            format: Some(CaptureScreenshotFormat::Webp),
            quality: Some(quality),
            ..Default::default()
        };
        if whole {
            let (width, height): (f64, f64) =
                self.eval("[document.documentElement.clientWidth, document.documentElement.scrollHeight]").await;
            // Chromium's limit for one picture.
            params.clip = Some(Viewport { x: 0.0, y: 0.0, width, height: height.min(16_000.0), scale: 1.0 });
            params.capture_beyond_viewport = Some(true);
        }
        let picture = self.command(params).await.data;
        STANDARD.decode(&picture).unwrap_or_else(|error| panic!("the picture is no base64: {error}"))
    }
}
