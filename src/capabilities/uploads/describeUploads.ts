import type { Components, Reference } from "../../engine/description/components.js";
import type { DescribeOperation, Describing } from "../../engine/description/describing.js";
import { fileAnswers, fileCodesOfDownloads, fileRequestHeaders, signatureParameters } from "../../engine/description/downloads.js";
import { jsonOf } from "../../engine/description/media.js";
import { answered, arrayOf, instant, link, listOf, nullableText, sent, text, whole } from "../../engine/description/schemas/object.js";
import type { DescribedAnswer, DescribedBody, DescribedParameter, JsonSchema, OperationDescription } from "../../engine/operation/description.js";
import type { DescribedForm } from "../../engine/operation/operation.js";
import { singular } from "../../language/schema/singular.js";
import { maxPresignedSeconds } from "../../parts/auth/aws4/maxPresignedSeconds.js";

/** Of 3.1 the media type says that it is a file; generators look for the format of 3.0. */
const formFile = { type: "string", format: "binary", contentMediaType: "application/octet-stream" };
const offsetStream = "application/offset+octet-stream";

/** What a file may be refused for. */
const checkCodes = [
  "TYPE_NOT_ALLOWED",
  "FILE_TOO_LARGE",
  "QUOTA_EXCEEDED",
  "VIRUS_DETECTED",
  "MACRO_FOUND",
  "PDF_ACTIVE_CONTENT",
  "SVG_INVALID",
  "IMAGE_TOO_LARGE",
  "UNSCANNABLE",
  "SCAN_UNAVAILABLE",
];
/** What a request with the bytes of a file may be refused for. */
const arrivalCodes = [
  ...checkCodes,
  "REQUEST_TIMEOUT",
  "UPLOAD_INTERRUPTED",
  "GONE",
  "CHECKSUM_MISMATCH",
  "UNSUPPORTED_MEDIA_TYPE",
  "MALFORMED_HEADER",
  "MALFORMED_COMPRESSION",
];
const foundCodes = ["NOT_FOUND", "GONE", "EXPIRED", "FORBIDDEN"];
const tusCodes = ["TUS_VERSION_UNSUPPORTED", "MALFORMED_HEADER"];
/** The protocol has a status of its own for a wrong checksum; requests without `Tus-Resumable` are answered with 422. */
const tusProblems = { CHECKSUM_MISMATCH: 460 };

const version: DescribedParameter = { name: "Tus-Resumable", text: "The version of the protocol.", schema: { const: "1.0.0" } };
const length: DescribedParameter = { name: "Upload-Length", text: "Bytes of the whole file.", schema: whole };
const checksum: DescribedParameter = { name: "Upload-Checksum", text: "`sha256 <base64>` of the bytes of this request.", schema: text };
const tusAnswer = ["Tus-Resumable", "Upload-Offset", "Upload-Expires"];

/** A file, or an upload that is to become one. */
function uploadSchema(components: Components): Reference {
  return components.own("Upload", () =>
    answered(
      {
        id: text,
        contentType: nullableText,
        declaredContentType: nullableText,
        size: { type: ["integer", "null"] },
        status: uploadStatus,
        createdAt: instant,
      },
      {
        filename: text,
        field: text,
        sha256: text,
        offset: whole,
        image: answered({ width: whole, height: whole }),
        error: answered({ code: text, detail: text }),
        expiresAt: instant,
        url: link,
        signedUrl: link,
      },
    ),
  );
}

function uploadBodies(components: Components): DescribedAnswer["bodies"] {
  return [jsonOf({ ...uploadSchema(components) })];
}

/** The answers to the last bytes of a file. @param text of 201 */
function arrived(text: string, headers: readonly string[], bodies?: DescribedAnswer["bodies"]): readonly DescribedAnswer[] {
  return [
    { status: 201, text, headers, bodies },
    { status: 202, text: "The bytes have arrived; a check has not decided yet.", headers, bodies },
  ];
}

const uploadStatus = { enum: ["uploading", "processing", "ready", "rejected", "gone"] };

/** Uploads, files, and forms with files. */
export const describeUploads: DescribeOperation = (describing, { name, form }, linked) => {
  if (linked !== undefined) return undefined;
  const description = uploadDescribers[name]?.(describing);
  if (description !== undefined) return { ...description, problemHeaders: ["Tus-Resumable", "Upload-Offset"] };
  return form && describeForm(describing, name, form);
};

/** Operations on uploads and files, by name. */
const uploadDescribers: Readonly<Record<string, (describing: Describing) => OperationDescription>> = {
  "uploads.create": ({ components }) => ({
    summary: "Upload a file, or begin a resumable upload",
    text: "The body is the file. With `Upload-Length` or `Upload-Defer-Length` the request begins an upload by the tus protocol.",
    headers: [
      version,
      length,
      { name: "Upload-Defer-Length", text: "The length is not known yet.", schema: { const: 1 } },
      { name: "Upload-Metadata", text: "`filename <base64>, filetype <base64>`", schema: text },
      { name: "Upload-Concat", text: "`partial`, or `final;` and the uploads to join.", schema: text },
      checksum,
      { name: "Content-Disposition", text: 'The name of the file: `attachment; filename="a.png"`.', schema: text },
    ],
    bodies: [{ mediaType: "*/*" }, { mediaType: offsetStream }],
    // A request that begins an upload has none.
    isBodyRequired: false,
    answers: arrived("The file, or where the upload goes on.", ["Location", ...tusAnswer], uploadBodies(components)),
    codes: [...arrivalCodes, ...tusCodes, "NOT_FOUND", "FORBIDDEN", "CONFLICT", "TOTAL_TOO_LARGE", "UPLOAD_LOCKED", "UPLOAD_INCOMPLETE"],
    ownProblems: tusProblems,
  }),
  "uploads.read": ({ components }) => ({
    summary: "Read the state of an upload",
    text: "HEAD answers the offset in headers, and ends a request that still sends bytes.",
    headers: [version],
    answers: [
      {
        status: 200,
        text: "The upload.",
        headers: [...tusAnswer, "Upload-Length", "Upload-Defer-Length", "Upload-Metadata", "Upload-Concat", "Retry-After"],
        bodies: uploadBodies(components),
      },
    ],
    codes: [...foundCodes, ...tusCodes, "UPLOAD_LOCKED"],
  }),
  "uploads.append": () => appending("Append bytes to an upload"),
  "uploads.appendByPost": () => ({
    ...appending("Append bytes to an upload, for clients without PATCH"),
    headers: [{ name: "X-HTTP-Method-Override", required: true, schema: { const: "PATCH" } }, ...appendHeaders],
  }),
  "uploads.terminate": () => ({
    summary: "Delete an upload",
    headers: [version],
    answers: [{ status: 204, text: "The upload is deleted.", headers: ["Tus-Resumable"] }],
    codes: [...foundCodes, ...tusCodes, "UPLOAD_LOCKED", "ROW_IN_USE"],
  }),
  "uploads.presign": () => ({
    summary: "Sign an address for a file",
    text: "The file is then sent there, without credentials.",
    bodies: [jsonOf(presignBody, { filename: "ada.png", contentType: "image/png", size: 1_024 })],
    answers: [{ status: 201, text: "The address.", headers: ["Location"], bodies: [jsonOf(presigned)] }],
    codes: ["VALIDATION_FAILED", "FILE_TOO_LARGE", "TYPE_NOT_ALLOWED", "QUOTA_EXCEEDED"],
  }),
  "uploads.putDirect": () => ({
    summary: "Send a file to its signed address",
    query: signatureParameters,
    bodies: [{ mediaType: "*/*" }],
    answers: arrived("The file has arrived.", ["ETag", "Location"]),
    codes: [...arrivalCodes, "INVALID_SIGNATURE", "ALREADY_UPLOADED", "UPLOAD_LOCKED", "LENGTH_REQUIRED", "GONE", "EXPIRED", "NOT_FOUND"],
  }),
  "uploads.complete": ({ components }) => ({
    summary: "Finish an upload whose bytes were sent to the store",
    answers: arrived("The file.", ["Location"], uploadBodies(components)),
    codes: [...foundCodes, ...checkCodes, "UPLOAD_INCOMPLETE", "CHECKSUM_MISMATCH"],
  }),
  "uploads.listParts": () => ({
    summary: "List the parts of an upload that have arrived",
    answers: [{ status: 200, text: "The parts.", bodies: [jsonOf(parts({}))] }],
    codes: [...foundCodes, "ALREADY_UPLOADED", "CONFLICT"],
  }),
  "uploads.signParts": () => ({
    summary: "Sign addresses for parts of an upload",
    bodies: [jsonOf(sent({ numbers: listOf({ type: "integer", minimum: 1 }) }), { numbers: [1] })],
    answers: [{ status: 200, text: "The addresses.", bodies: [jsonOf(parts({ expiresIn: whole, expiresAt: instant }))] }],
    codes: [...foundCodes, "ALREADY_UPLOADED", "CONFLICT", "VALIDATION_FAILED"],
  }),
  "files.read": () => ({
    summary: "Download a file",
    query: signatureParameters,
    headers: fileRequestHeaders,
    answers: fileAnswers,
    codes: [...fileCodesOfDownloads, "INVALID_SIGNATURE", "FORBIDDEN"],
  }),
  "files.readPublic": () => ({
    summary: "Download a public file",
    headers: fileRequestHeaders,
    answers: fileAnswers,
    codes: fileCodesOfDownloads,
  }),
};

const appendHeaders: readonly DescribedParameter[] = [
  version,
  { name: "Upload-Offset", text: "Bytes that were sent before.", required: true, schema: whole },
  length,
  checksum,
];

function appending(summary: string): OperationDescription {
  return {
    summary,
    headers: appendHeaders,
    bodies: [{ mediaType: offsetStream }],
    answers: [{ status: 204, text: "The bytes are stored.", headers: tusAnswer }],
    codes: [...foundCodes, ...arrivalCodes, ...tusCodes, "OFFSET_MISMATCH", "UPLOAD_LOCKED", "METHOD_NOT_ALLOWED"],
    ownProblems: tusProblems,
  };
}

const presignBody: JsonSchema = sent(
  { filename: { type: "string", minLength: 1 }, contentType: { type: "string", pattern: "^[\\w.+-]+/[\\w.+-]+" }, size: whole },
  {
    sha256: { type: "string", pattern: "^[0-9a-fA-F]{64}$" },
    expiresIn: { type: "integer", minimum: 1, maximum: maxPresignedSeconds },
    multipart: { type: "boolean" },
  },
);
const presigned: JsonSchema = answered(
  { id: text, expiresIn: whole, expiresAt: instant, fileUrl: link },
  { uploadUrl: link, method: text, headers: { type: "object", additionalProperties: text }, partSize: whole, parts: arrayOf({ type: "object" }) },
);

function parts(more: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return answered({ uploadId: text, partSize: whole, ...more, parts: arrayOf({ type: "object" }) }, { size: { type: ["integer", "null"] } });
}

/** A form with files. @param name of its operation, `<form>.create` */
function describeForm({ components }: Describing, name: string, form: DescribedForm): OperationDescription {
  const file = { ...uploadSchema(components) };
  const several = answered({ files: arrayOf(file), fields: { type: "object" } });
  return {
    summary: `Send a form to ${name.slice(0, name.lastIndexOf("."))}`,
    bodies: [formBody(form, singular(name.slice(0, name.lastIndexOf("."))))],
    answers: arrived("The files of the form.", ["Location"], [jsonOf({ anyOf: [file, several] })]),
    codes: [
      ...arrivalCodes,
      "MALFORMED_MULTIPART",
      "MISSING_PART_NAME",
      "UNKNOWN_CHARSET",
      "FILE_REQUIRED",
      "UNKNOWN_FIELD",
      "TOTAL_TOO_LARGE",
      "FIELD_TOO_LARGE",
      "TOO_MANY_FILES",
      "TOO_MANY_FIELDS",
      "TOO_MANY_PARTS",
      "VALIDATION_FAILED",
    ],
  };
}

/**
 * A part whose name is repeated is an array.
 *
 * @param anyFile the name of a part where files may have any name: generators and forms of pages send only parts that have one. It has one file: of "one or several" orval writes code
 *   that does not compile, and Swagger UI a text
 */
function formBody({ fields = "any", files = "any", requiredFiles = [], maxFiles, types }: DescribedForm, anyFile: string): DescribedBody {
  const textNames = fields === "any" ? [] : fields;
  const named = files === "any" ? requiredFiles : files;
  const isMadeUp = files === "any" && named.length === 0 && !textNames.includes(anyFile);
  const fileNames = isMadeUp ? [anyFile] : named;
  const file = isMadeUp || maxFiles === 1 ? formFile : { anyOf: [arrayOf(formFile), formFile] };
  const properties = { ...all(textNames, { anyOf: [text, arrayOf(text)] }), ...all(fileNames, file) };
  const encoding = types === "any" ? undefined : all(fileNames, { contentType: types.join(", ") });
  // A form without a file is refused, so that the only name there is must have one.
  const required = files !== "any" && files.length === 1 ? files : requiredFiles;
  const others = [...(files === "any" ? [formFile] : []), ...(fields === "any" ? [text] : [])];
  const additionalProperties = others.length > 0 && { anyOf: others };
  return { mediaType: "multipart/form-data", schema: { type: "object", properties, required, additionalProperties }, encoding };
}

/** The same value by each of the names. */
function all<Value>(names: readonly string[], value: Value): Readonly<Record<string, Value>> {
  return Object.fromEntries(names.map((name) => [name, value]));
}
