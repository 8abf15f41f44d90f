export { searches } from "./capability.js";
