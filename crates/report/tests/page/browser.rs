//! A headless Chromium, asked over a pipe in the words of the Chrome DevTools Protocol.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

/// An answer that takes longer is a failure.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Names under which distributions install it.
const PROGRAMS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// A running browser with one tab; it ends with this value.
pub struct Browser {
    child: Child,
    requests: Option<ChildStdin>,
    answers: Receiver<Value>,
    session: String,
    number: u64,
    /// The events of the browser.
    pub events: Vec<Value>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts it.
    ///
    /// # Panics
    /// There is none: a page that was not rendered is not tested.
    pub fn start() -> Browser {
        let found = PROGRAMS.into_iter().find(|program| Command::new(program).arg("--version").output().is_ok());
        let program = found.expect("no Chromium; hint: ./test.sh installs it, or apt-get install chromium");
        let profile = tempfile::tempdir().unwrap();
        // Protocol messages go over descriptors 3 and 4, which the shell makes of our pipes.
        let script = r#"exec "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#;
        let mut child = Command::new("sh")
            .args(["-c", script, "sh", program, "--headless=new", "--remote-debugging-pipe", "--disable-gpu"])
            .args(["--no-sandbox", "--no-first-run", "--disable-extensions", "--disable-background-networking"])
            .args(["--disable-dev-shm-usage", "--force-color-profile=srgb", "--hide-scrollbars"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, answers) = channel();
        thread::spawn(move || {
            let mut message = Vec::new();
            while stdout.read_until(0, &mut message).is_ok_and(|length| length > 0) {
                message.pop();
                let Ok(value) = serde_json::from_slice(&message) else { return };
                if sender.send(value).is_err() {
                    return;
                }
                message.clear();
            }
        });
        let requests = child.stdin.take();
        let mut browser = Browser {
            child,
            requests,
            answers,
            session: String::new(),
            number: 0,
            events: Vec::new(),
            _profile: profile,
        };
        let target = browser.ask("Target.createTarget", json!({"url": "about:blank"}))["targetId"].clone();
        let attached = browser.ask("Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        browser.session = attached["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.ask(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    /// Asks, and waits for the answer.
    ///
    /// # Panics
    /// Where the browser answers with an error or not at all.
    pub fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.asked(method, &parameters, TIMEOUT).unwrap_or_else(|| panic!("no answer to {method}"))
    }

    /// The same; none where there is no answer for so long.
    fn asked(&mut self, method: &str, parameters: &Value, timeout: Duration) -> Option<Value> {
        self.number += 1;
        let mut request = json!({"id": self.number, "method": method, "params": parameters});
        if !self.session.is_empty() {
            request["sessionId"] = json!(self.session);
        }
        let pipe = self.requests.as_mut().unwrap();
        pipe.write_all(format!("{request}\0").as_bytes()).and_then(|()| pipe.flush()).unwrap();
        loop {
            let answer = self.next(timeout)?;
            if answer["id"] == json!(self.number) {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return Some(answer["result"].clone());
            }
        }
    }

    /// The next message, which is kept where it is no answer.
    fn next(&mut self, timeout: Duration) -> Option<Value> {
        let message = self.answers.recv_timeout(timeout).ok()?;
        if message["method"].is_string() {
            self.events.push(message.clone());
        }
        Some(message)
    }

    /// Opens `file` in a window of this size and waits until it is loaded.
    pub fn open(&mut self, file: &Path, size: (u32, u32), scheme: &str) {
        self.open_url(&format!("file://{}", file.display()), size, scheme);
    }

    /// Opens the page at `url` in a window of this size and waits until it is loaded.
    pub fn open_url(&mut self, url: &str, (width, height): (u32, u32), scheme: &str) {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600});
        self.ask("Emulation.setDeviceMetricsOverride", metrics);
        let feature = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}], "media": ""});
        self.ask("Emulation.setEmulatedMedia", feature);
        self.events.clear();
        self.ask("Page.navigate", json!({"url": url}));
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            self.next(TIMEOUT).expect("the page was not loaded");
        }
    }

    /// Opens the sections of details.
    pub fn open_sections(&mut self) {
        self.evaluate("document.querySelectorAll('details.section').forEach((part) => { part.open = true; })");
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    }

    /// The value of a JavaScript expression; a promise is waited for.
    ///
    /// # Panics
    /// Where it throws.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let parameters = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.ask("Runtime.evaluate", parameters);
        assert!(answer["exceptionDetails"].is_null(), "{}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// Presses and releases a key, such as `Enter`.
    pub fn press(&mut self, key: &str, code: u32) {
        let text = if key == "Enter" { "\r" } else { "" };
        for kind in [if text.is_empty() { "rawKeyDown" } else { "keyDown" }, "keyUp"] {
            let event = json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text});
            self.ask("Input.dispatchKeyEvent", event);
        }
    }

    /// Bytes that `method` answers in base64.
    pub fn bytes(&mut self, method: &str, parameters: Value) -> Vec<u8> {
        // Now and then the browser draws nothing for a picture that is asked for early, and never answers.
        let answer = (0..4).find_map(|_| {
            let answer = self.asked(method, &parameters, TIMEOUT / 4);
            if answer.is_none() {
                self.ask("Page.bringToFront", json!({}));
            }
            answer
        });
        let answer = answer.unwrap_or_else(|| panic!("no answer to {method}"));
        BASE64_STANDARD.decode(answer["data"].as_str().unwrap()).unwrap()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Without its pipe the browser ends; what does not end is ended.
        self.requests = None;
        for _ in 0..50 {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(Duration::from_millis(100));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
