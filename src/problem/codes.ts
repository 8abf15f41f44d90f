/** What a code means on the wire. */
interface CodeEntry {
  readonly status: number;
  readonly title: string;
}

/**
 * The one registry of problem codes, with their statuses. Each has a heading of the same name in `docs/problems.md`; a test compares the two.
 * In addition, violations of a unique key have the code `DUPLICATE_<FIELD>`.
 */
const statuses = {
  MALFORMED_TARGET: 400,
  MALFORMED_HEADER: 400,
  REPEATED_HEADER: 400,
  CONFLICTING_CREDENTIALS: 400,
  CLIENT_TOO_OLD: 400,
  MALFORMED_COMPRESSION: 400,
  UNSUPPORTED_VERSION: 400,
  MALFORMED_JSON: 400,
  PATCH_MALFORMED: 400,
  IDEMPOTENCY_KEY_INVALID: 400,
  IDEMPOTENCY_KEY_REQUIRED: 400,
  MALFORMED_QUERY: 400,
  UNKNOWN_FIELD: 400,
  UNKNOWN_RELATION: 400,
  UNKNOWN_TYPE: 400,
  UNKNOWN_OPERATOR: 400,
  OPERATOR_NOT_ALLOWED: 400,
  INVALID_VALUE: 400,
  EMPTY_VALUE: 400,
  SINGLE_VALUE_REQUIRED: 400,
  EMPTY_SELECTION: 400,
  REPEATED_PARAMETER: 400,
  CONFLICTING_PARAMETERS: 400,
  SORT_NOT_ALLOWED: 400,
  OFFSET_TOO_LARGE: 400,
  INVALID_CURSOR: 400,
  QUERY_TOO_COMPLEX: 400,
  INVALID_BATCH: 400,
  EMPTY_BATCH: 400,
  FILTER_REQUIRED: 400,
  TOO_MANY_AFFECTED: 400,
  EMPTY_FILE: 400,
  MALFORMED_MULTIPART: 400,
  MALFORMED_FORM: 400,
  MALFORMED_XML: 400,
  MISSING_PART_NAME: 400,
  UNKNOWN_CHARSET: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  FORBIDDEN_FIELD: 403,
  OUT_OF_SCOPE: 403,
  METHOD_OVERRIDE_FORBIDDEN: 403,
  CROSS_SITE_REQUEST: 403,
  INVALID_SIGNATURE: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  REQUEST_TIMEOUT: 408,
  PATCH_CONFLICT: 409,
  IDEMPOTENCY_KEY_IN_FLIGHT: 409,
  WRITE_CONFLICT: 409,
  ROW_IN_USE: 409,
  JOB_FINISHED: 409,
  WEBHOOK_INACTIVE: 409,
  SECRET_UNREADABLE: 409,
  CONFIRMATION_MISMATCH: 409,
  CONFLICT: 409,
  SOURCE_CHANGED: 409,
  NOT_RESUMABLE: 409,
  OFFSET_MISMATCH: 409,
  UPLOAD_INTERRUPTED: 409,
  UPLOAD_INCOMPLETE: 409,
  ALREADY_UPLOADED: 409,
  EXPIRED: 410,
  EXPORT_OUTDATED: 410,
  GONE: 410,
  LENGTH_REQUIRED: 411,
  PRECONDITION_FAILED: 412,
  TUS_VERSION_UNSUPPORTED: 412,
  PAYLOAD_TOO_LARGE: 413,
  BATCH_TOO_LARGE: 413,
  EVENT_TOO_LARGE: 413,
  IMPORT_TOO_LARGE: 413,
  FILE_TOO_LARGE: 413,
  TOTAL_TOO_LARGE: 413,
  FIELD_TOO_LARGE: 413,
  TOO_MANY_FILES: 413,
  TOO_MANY_FIELDS: 413,
  TOO_MANY_PARTS: 413,
  QUOTA_EXCEEDED: 413,
  URI_TOO_LONG: 414,
  UNSUPPORTED_MEDIA_TYPE: 415,
  TYPE_NOT_ALLOWED: 415,
  RANGE_NOT_SATISFIABLE: 416,
  FILE_REQUIRED: 422,
  VALIDATION_FAILED: 422,
  IDEMPOTENCY_KEY_REUSED: 422,
  READ_ONLY_FIELD: 422,
  INVALID_ENCODING: 422,
  INVALID_COMPRESSION: 422,
  MISSING_COLUMN: 422,
  REPEATED_COLUMN: 422,
  UNKNOWN_COLUMN: 422,
  QUOTE_NOT_CLOSED: 422,
  BAD_QUOTE: 422,
  ROW_WIDTH: 422,
  ROW_NOT_OBJECT: 422,
  ROW_TOO_LARGE: 422,
  UNKNOWN_REFERENCE: 422,
  FILE_NOT_AVAILABLE: 422,
  DUPLICATE: 422,
  REFUSED_BY_DATABASE: 422,
  IMPORT_REJECTED: 422,
  TOO_MANY_ERRORS: 422,
  WORKER_CRASHED: 422,
  VIRUS_DETECTED: 422,
  MACRO_FOUND: 422,
  PDF_ACTIVE_CONTENT: 422,
  SVG_INVALID: 422,
  IMAGE_TOO_LARGE: 422,
  UNSCANNABLE: 422,
  CHECKSUM_MISMATCH: 422,
  WEBHOOK_URL_NOT_HTTPS: 422,
  WEBHOOK_URL_NOT_ALLOWED: 422,
  UNKNOWN_EVENT: 422,
  INVALID_FILTER: 422,
  WEAK_SECRET: 422,
  TOO_MANY_WEBHOOKS: 422,
  UPLOAD_LOCKED: 423,
  ROLLED_BACK: 424,
  FAILED_DEPENDENCY: 424,
  CONFIRMATION_REQUIRED: 428,
  PRECONDITION_REQUIRED: 428,
  RATE_LIMITED: 429,
  TOO_MANY_JOBS: 429,
  INTERNAL: 500,
  NOT_SUPPORTED: 501,
  TRANSFER_CODING_UNSUPPORTED: 501,
  ATOMIC_UNSUPPORTED: 501,
  JOBS_UNSUPPORTED: 501,
  TRANSFER_UNSUPPORTED: 501,
  NOT_PROCESSED: 503,
  AUTHENTICATION_UNAVAILABLE: 503,
  SCAN_UNAVAILABLE: 503,
  STORAGE_UNAVAILABLE: 503,
  QUERY_TIMEOUT: 503,
  HOOK_TIMEOUT: 503,
  SHUTTING_DOWN: 503,
} as const;

/** Titles that differ from the words of the code. */
const titles: { readonly [C in keyof typeof statuses]?: string } = {
  MALFORMED_TARGET: "Malformed request target",
  MALFORMED_JSON: "Malformed JSON",
  MALFORMED_XML: "Malformed XML",
  PATCH_MALFORMED: "Malformed patch",
  IDEMPOTENCY_KEY_INVALID: "Invalid idempotency key",
  UNAUTHENTICATED: "Authentication required",
  TUS_VERSION_UNSUPPORTED: "Protocol version unsupported",
  TOTAL_TOO_LARGE: "Upload too large",
  URI_TOO_LONG: "URI too long",
  READ_ONLY_FIELD: "Read-only field",
  ROW_WIDTH: "Wrong number of cells",
  ROW_NOT_OBJECT: "Row not an object",
  PDF_ACTIVE_CONTENT: "Active content in PDF",
  SVG_INVALID: "Invalid SVG",
  WEBHOOK_URL_NOT_HTTPS: "Webhook URL not https",
  WEBHOOK_URL_NOT_ALLOWED: "Webhook URL not allowed",
  INTERNAL: "Internal error",
  ATOMIC_UNSUPPORTED: "Atomic batch unsupported",
};

/** What each code means on the wire. Entries are derived from the tables above, which halves their size in every bundle. */
export const codes = Object.fromEntries(
  Object.entries(statuses).map(([code, status]) => [code, { status, title: titles[code as keyof typeof statuses] ?? sentence(code) }]),
) as { readonly [C in keyof typeof statuses]: { readonly status: (typeof statuses)[C]; readonly title: string } };

/** `NOT_FOUND` → `Not found`. */
function sentence(code: string): string {
  return code.charAt(0) + code.slice(1).toLowerCase().replaceAll("_", " ");
}

/** A code of the registry, or the code of a violated unique key. */
export type ProblemCode = keyof typeof codes | `DUPLICATE_${string}`;

/** Status and title of a code. */
export function describeCode(code: ProblemCode): CodeEntry {
  if (code in codes) return codes[code as keyof typeof codes];
  return { status: 422, title: code.startsWith("DUPLICATE_") ? "Duplicate value" : sentence(code) };
}

/** `externalId` → `DUPLICATE_EXTERNAL_ID`; the fields of a composite key are joined by `_`. */
export function duplicateCode(fields: readonly string[]): ProblemCode {
  const upperSnake = (name: string) => name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toUpperCase();
  return `DUPLICATE_${fields.map(upperSnake).join("_")}`;
}
