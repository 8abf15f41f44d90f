export { closest } from "../problem/closest.js";
export { ConfigurationError } from "../problem/configuration.js";
export { optionsCheck } from "./checkOptions.js";
export {
  callable,
  clock,
  either,
  flag,
  having,
  listOf,
  named,
  oneOf,
  orFalse,
  passing,
  type Shape,
  strict,
  text,
  texts,
  timers,
  whole,
} from "./rules.js";
