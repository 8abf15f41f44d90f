export type { DecodingLimits } from "../../engine/operation/answers/contentDecoder.js";
export { type CompressionOptions, compression } from "./capability.js";
export { chooseCoding } from "./chooseCoding.js";
export { codedStream } from "./codedStream.js";
export { type Coder, type Coding, type CompressionLevels, coderOf, type Encoder, supportedCodings } from "./coders.js";
export { decodeBody } from "./decodeBody.js";
export { encodeBody } from "./encodeBody.js";
