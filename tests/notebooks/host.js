// A notebook's page for tests: the model that anywidget hands to `render`, over what Python sends.
import widget from "./widget.js";

const heard = new Map(), state = {};
let unsaved = {};
const bytes = (text) => new DataView(Uint8Array.from(atob(text), (one) => one.charCodeAt(0)).buffer);
const read = (text) => JSON.parse(text, (_, value) => (typeof value?.bytes === "string" ? bytes(value.bytes) : value));
const tell = (name, ...more) => [...(heard.get(name) ?? [])].forEach((one) => one(...more));
const toPython = (message) => window.toPython?.(JSON.stringify(message)).then(window.take);

/** Takes what Python has sent: changed traits, messages. */
window.take = (text) => {
  for (const { state: changed, custom } of read(text)) {
    Object.assign(state, changed);
    for (const name of Object.keys(changed ?? {})) tell(`change:${name}`);
    if (custom) tell("msg:custom", custom);
  }
};
window.model = {
  get: (name) => state[name],
  set(name, value) {
    state[name] = unsaved[name] = value;
    tell(`change:${name}`);
  },
  save_changes() {
    toPython({ state: unsaved });
    unsaved = {};
  },
  send: (custom) => toPython({ custom }),
  on: (name, one) => heard.set(name, new Set([...(heard.get(name) ?? []), one])),
  off: (name, one) => heard.get(name)?.delete(one),
};
window.take(await (await fetch("state.json")).text());
window.ended = await widget.render({ model: window.model, el: document.getElementById("cell") });
document.body.dataset.shown = "";
