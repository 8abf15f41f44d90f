export { releaseChunk } from "../../ground/http/body/ownChunks.js";
export { ClientGone } from "../../ground/http/clientGone.js";
export { ConfigurationError, ProblemError } from "../../ground/problem/index.js";
export type { BlobStore } from "../../ground/storage/files/blobs.js";
export { type CollectedFields, collectFields } from "../../parts/multipart/collectFields.js";
export type { MultipartOptions } from "../../parts/multipart/formParts.js";
export { defaultMultipartLimits, type MultipartLimits } from "../../parts/multipart/multipartLimits.js";
export type { MultipartMessage, MultipartRequest } from "../../parts/multipart/multipartRequest.js";
export { parseMultipart } from "../../parts/multipart/parseMultipart.js";
export type { FieldPart, FilePart, Part } from "../../parts/multipart/part.js";
export { uploads } from "./capability.js";
export {
  type PresignedBody,
  type PresignedRequest,
  type PresignedUse,
  type Presigner,
  type PresignerOptions,
  presignedBytes,
  presigner,
} from "./direct/presigner.js";
export type { FormRules } from "./forms/formRules.js";
export { type FormFile, type FormWithFiles, type ReceiveFormOptions, receiveForm } from "./forms/receiveForm.js";
export type { Durability, FormOptions, ReadyFile, UploadOptions, Visibility } from "./options.js";
export { file } from "./rows/file.js";
