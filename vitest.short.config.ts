import { configWith, thorough } from "./vitest.config.js";

// What `npm test` runs: without the files that take longest, and with a tenth of the runs of each property.
process.env["PROPERTY_RUNS"] ||= "0.1";

export default configWith({ leftOut: thorough });
