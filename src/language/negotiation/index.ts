export { namesXml, selectType } from "./accept.js";
export { selectCharset } from "./charset.js";
export { selectEncoding } from "./encoding.js";
export { selectLanguage } from "./language.js";
export { notAcceptable } from "./notAcceptable.js";
export { maxAcceptBytes, maxAcceptRanges, parseWeighted, type Weighted } from "./weighted.js";
