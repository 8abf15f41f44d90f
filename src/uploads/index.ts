export { ClientGone } from "../http/clientGone.js";
export { ProblemError } from "../problem/index.js";
export type { BlobStore } from "../storage/blobs.js";
export { type CheckInput, type FileCheck, pass, type Rejection, type Verdict } from "./checks/fileCheck.js";
export { type ImageSize, imageSize } from "./checks/images/imageSize.js";
export { type MetadataCheckOptions, metadataCheck } from "./checks/images/metadataCheck.js";
export { type PixelCheckOptions, pixelCheck } from "./checks/images/pixelCheck.js";
export { stripMetadata } from "./checks/images/stripMetadata.js";
export { type MacroCheckOptions, macroCheck } from "./checks/office/macroCheck.js";
export { type PdfActiveName, pdfActiveNames } from "./checks/pdf/activeNames.js";
export { type PdfCheckOptions, pdfCheck } from "./checks/pdf/pdfCheck.js";
export { headBytes, readCheckInput, type UncheckedFile } from "./checks/readCheckInput.js";
export { type RejectionCode, reject, rejectionProblem } from "./checks/rejection.js";
export type { RunChecksOptions } from "./checks/runCheck.js";
export { type AcceptedFile, type ChecksOutcome, runChecks } from "./checks/runChecks.js";
export type { ScanOptions } from "./checks/scanCheck.js";
export { sanitizeSvg } from "./checks/svg/sanitizeSvg.js";
export { type SvgCheckOptions, svgCheck } from "./checks/svg/svgCheck.js";
export { type DetectTypeOptions, detectType } from "./checks/types/detectType.js";
export { type FileType, fileTypes } from "./checks/types/fileTypes.js";
export { textCheck } from "./checks/types/textCheck.js";
export { type ClaimedType, rejectClaim, type TypeCheckOptions, typeCheck } from "./checks/types/typeCheck.js";
export { type ZipCheckOptions, zipCheck } from "./checks/zip/zipCheck.js";
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
export { type CollectedFields, collectFields } from "./multipart/collectFields.js";
export { defaultMultipartLimits, type MultipartLimits } from "./multipart/multipartLimits.js";
export type { MultipartMessage, MultipartRequest } from "./multipart/multipartRequest.js";
export { type MultipartOptions, parseMultipart } from "./multipart/parseMultipart.js";
export type { FieldPart, FilePart, Part } from "./multipart/part.js";
