export { watchRows } from "./calls/watch.js";
