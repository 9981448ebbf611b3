// An editor in the place of a text field. The field stays in the form and holds the text, so a form without JavaScript
// and one with it send the same.
import { createEditor } from "prism-code-editor";
import { defaultCommands, editHistory } from "prism-code-editor/commands";
import { matchBrackets } from "prism-code-editor/match-brackets";
import "prism-code-editor/languages/clike";
import "prism-code-editor/prism/languages/cpp";
import "prism-code-editor/prism/languages/wgsl";
import "prism-code-editor/layout.css";
import "./theme.css";

/**
 * @param {HTMLTextAreaElement} field
 * @param {number[]} marked lines that an error names, from 1
 */
export function edit(field, marked) {
  const place = document.createElement("div");
  place.className = "editor";
  field.after(place);
  const editor = createEditor(
    place,
    { language: field.dataset.language === "wgsl" ? "wgsl" : "cpp", value: field.value, tabSize: 4, insertSpaces: true, lineNumbers: true, wordWrap: false },
    defaultCommands(),
    editHistory(),
    matchBrackets(),
  );
  const input = editor.textarea;
  const label = field.labels?.[0];
  if (label) {
    label.id ||= `${field.id}-label`;
    input.setAttribute("aria-labelledby", label.id);
    label.htmlFor = input.id = `${field.id}-editor`;
  }
  const hint = field.getAttribute("aria-describedby");
  if (hint) input.setAttribute("aria-describedby", hint);
  input.readOnly = field.readOnly;
  field.hidden = true;

  // Tab indents, so the keyboard needs a way out: Escape, then Tab.
  let leaving = false;
  editor.wrapper.addEventListener(
    "keydown",
    (event) => {
      if (event.key === "Tab" && leaving) event.stopImmediatePropagation();
      if (event.key !== "Shift") leaving = event.key === "Escape";
    },
    true,
  );

  const mark = () => {
    for (const line of marked) editor.lines[line]?.classList.add("wrong");
  };
  editor.on("update", (value) => {
    field.value = value;
    mark();
  });
  mark();
  // A form that is set back sets the field back; the editor shows what the field holds.
  field.form?.addEventListener("reset", () => setTimeout(() => editor.setOptions({ value: field.value })));
}
