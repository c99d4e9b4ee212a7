export { show } from "./replay.js";
