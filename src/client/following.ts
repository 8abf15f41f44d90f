export { LiveList } from "./calls/live.js";
export { watchRows } from "./calls/watch.js";
