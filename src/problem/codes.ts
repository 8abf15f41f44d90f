/** What a code means on the wire. */
interface CodeEntry {
  readonly status: number;
  readonly title: string;
}

/**
 * The one registry of problem codes. Each has a heading of the same name in `docs/problems.md`; a test compares the two.
 * Violations of a unique key are `DUPLICATE_<FIELD>` beside these.
 */
export const codes = {
  MALFORMED_TARGET: { status: 400, title: "Malformed request target" },
  MALFORMED_HEADER: { status: 400, title: "Malformed header" },
  REPEATED_HEADER: { status: 400, title: "Repeated header" },
  CONFLICTING_CREDENTIALS: { status: 400, title: "Conflicting credentials" },
  MALFORMED_JSON: { status: 400, title: "Malformed JSON" },
  PATCH_MALFORMED: { status: 400, title: "Malformed patch" },
  IDEMPOTENCY_KEY_INVALID: { status: 400, title: "Invalid idempotency key" },
  IDEMPOTENCY_KEY_REQUIRED: { status: 400, title: "Idempotency key required" },
  MALFORMED_QUERY: { status: 400, title: "Malformed query" },
  UNKNOWN_FIELD: { status: 400, title: "Unknown field" },
  UNKNOWN_RELATION: { status: 400, title: "Unknown relation" },
  UNKNOWN_TYPE: { status: 400, title: "Unknown type" },
  UNKNOWN_OPERATOR: { status: 400, title: "Unknown operator" },
  OPERATOR_NOT_ALLOWED: { status: 400, title: "Operator not allowed" },
  INVALID_VALUE: { status: 400, title: "Invalid value" },
  EMPTY_VALUE: { status: 400, title: "Empty value" },
  SINGLE_VALUE_REQUIRED: { status: 400, title: "Single value required" },
  EMPTY_SELECTION: { status: 400, title: "Empty selection" },
  REPEATED_PARAMETER: { status: 400, title: "Repeated parameter" },
  CONFLICTING_PARAMETERS: { status: 400, title: "Conflicting parameters" },
  SORT_NOT_ALLOWED: { status: 400, title: "Sort not allowed" },
  OFFSET_TOO_LARGE: { status: 400, title: "Offset too large" },
  INVALID_CURSOR: { status: 400, title: "Invalid cursor" },
  QUERY_TOO_COMPLEX: { status: 400, title: "Query too complex" },
  INVALID_BATCH: { status: 400, title: "Invalid batch" },
  EMPTY_BATCH: { status: 400, title: "Empty batch" },
  FILTER_REQUIRED: { status: 400, title: "Filter required" },
  TOO_MANY_AFFECTED: { status: 400, title: "Too many affected" },
  EMPTY_FILE: { status: 400, title: "Empty file" },
  MALFORMED_MULTIPART: { status: 400, title: "Malformed multipart" },
  MISSING_PART_NAME: { status: 400, title: "Missing part name" },
  UNKNOWN_CHARSET: { status: 400, title: "Unknown charset" },
  UNAUTHENTICATED: { status: 401, title: "Authentication required" },
  FORBIDDEN: { status: 403, title: "Forbidden" },
  FORBIDDEN_FIELD: { status: 403, title: "Forbidden field" },
  INVALID_SIGNATURE: { status: 403, title: "Invalid signature" },
  NOT_FOUND: { status: 404, title: "Not found" },
  METHOD_NOT_ALLOWED: { status: 405, title: "Method not allowed" },
  REQUEST_TIMEOUT: { status: 408, title: "Request timeout" },
  PATCH_CONFLICT: { status: 409, title: "Patch conflict" },
  IDEMPOTENCY_KEY_IN_FLIGHT: { status: 409, title: "Idempotency key in flight" },
  WRITE_CONFLICT: { status: 409, title: "Write conflict" },
  JOB_FINISHED: { status: 409, title: "Job finished" },
  WEBHOOK_INACTIVE: { status: 409, title: "Webhook inactive" },
  CONFIRMATION_MISMATCH: { status: 409, title: "Confirmation mismatch" },
  CONFLICT: { status: 409, title: "Conflict" },
  SOURCE_CHANGED: { status: 409, title: "Source changed" },
  NOT_RESUMABLE: { status: 409, title: "Not resumable" },
  EXPIRED: { status: 410, title: "Expired" },
  PRECONDITION_FAILED: { status: 412, title: "Precondition failed" },
  PAYLOAD_TOO_LARGE: { status: 413, title: "Payload too large" },
  BATCH_TOO_LARGE: { status: 413, title: "Batch too large" },
  EVENT_TOO_LARGE: { status: 413, title: "Event too large" },
  IMPORT_TOO_LARGE: { status: 413, title: "Import too large" },
  FILE_TOO_LARGE: { status: 413, title: "File too large" },
  TOTAL_TOO_LARGE: { status: 413, title: "Upload too large" },
  FIELD_TOO_LARGE: { status: 413, title: "Field too large" },
  TOO_MANY_FILES: { status: 413, title: "Too many files" },
  TOO_MANY_FIELDS: { status: 413, title: "Too many fields" },
  TOO_MANY_PARTS: { status: 413, title: "Too many parts" },
  URI_TOO_LONG: { status: 414, title: "URI too long" },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: "Unsupported media type" },
  TYPE_NOT_ALLOWED: { status: 415, title: "Type not allowed" },
  RANGE_NOT_SATISFIABLE: { status: 416, title: "Range not satisfiable" },
  VALIDATION_FAILED: { status: 422, title: "Validation failed" },
  IDEMPOTENCY_KEY_REUSED: { status: 422, title: "Idempotency key reused" },
  READ_ONLY_FIELD: { status: 422, title: "Read-only field" },
  INVALID_ENCODING: { status: 422, title: "Invalid encoding" },
  INVALID_COMPRESSION: { status: 422, title: "Invalid compression" },
  MISSING_COLUMN: { status: 422, title: "Missing column" },
  REPEATED_COLUMN: { status: 422, title: "Repeated column" },
  UNKNOWN_COLUMN: { status: 422, title: "Unknown column" },
  QUOTE_NOT_CLOSED: { status: 422, title: "Quote not closed" },
  BAD_QUOTE: { status: 422, title: "Bad quote" },
  ROW_WIDTH: { status: 422, title: "Wrong number of cells" },
  ROW_NOT_OBJECT: { status: 422, title: "Row not an object" },
  ROW_TOO_LARGE: { status: 422, title: "Row too large" },
  UNKNOWN_REFERENCE: { status: 422, title: "Unknown reference" },
  IMPORT_REJECTED: { status: 422, title: "Import rejected" },
  TOO_MANY_ERRORS: { status: 422, title: "Too many errors" },
  WORKER_CRASHED: { status: 422, title: "Worker crashed" },
  VIRUS_DETECTED: { status: 422, title: "Virus detected" },
  MACRO_FOUND: { status: 422, title: "Macro found" },
  PDF_ACTIVE_CONTENT: { status: 422, title: "Active content in PDF" },
  SVG_INVALID: { status: 422, title: "Invalid SVG" },
  IMAGE_TOO_LARGE: { status: 422, title: "Image too large" },
  UNSCANNABLE: { status: 422, title: "Unscannable" },
  CHECKSUM_MISMATCH: { status: 422, title: "Checksum mismatch" },
  WEBHOOK_URL_NOT_HTTPS: { status: 422, title: "Webhook URL not https" },
  WEBHOOK_URL_NOT_ALLOWED: { status: 422, title: "Webhook URL not allowed" },
  UNKNOWN_EVENT: { status: 422, title: "Unknown event" },
  INVALID_FILTER: { status: 422, title: "Invalid filter" },
  WEAK_SECRET: { status: 422, title: "Weak secret" },
  TOO_MANY_WEBHOOKS: { status: 422, title: "Too many webhooks" },
  ROLLED_BACK: { status: 424, title: "Rolled back" },
  FAILED_DEPENDENCY: { status: 424, title: "Failed dependency" },
  CONFIRMATION_REQUIRED: { status: 428, title: "Confirmation required" },
  PRECONDITION_REQUIRED: { status: 428, title: "Precondition required" },
  RATE_LIMITED: { status: 429, title: "Rate limited" },
  TOO_MANY_JOBS: { status: 429, title: "Too many jobs" },
  INTERNAL: { status: 500, title: "Internal error" },
  ATOMIC_UNSUPPORTED: { status: 501, title: "Atomic batch unsupported" },
  JOBS_UNSUPPORTED: { status: 501, title: "Jobs unsupported" },
  TRANSFER_UNSUPPORTED: { status: 501, title: "Transfer unsupported" },
  NOT_PROCESSED: { status: 503, title: "Not processed" },
  SCAN_UNAVAILABLE: { status: 503, title: "Scan unavailable" },
  STORAGE_UNAVAILABLE: { status: 503, title: "Storage unavailable" },
  SHUTTING_DOWN: { status: 503, title: "Shutting down" },
} as const satisfies Record<string, CodeEntry>;

/** A code of the registry, or the code of a violated unique key. */
export type ProblemCode = keyof typeof codes | `DUPLICATE_${string}`;

/** Status and title of a code. */
export function describeCode(code: ProblemCode): CodeEntry {
  return code in codes ? codes[code as keyof typeof codes] : { status: 422, title: "Duplicate value" };
}

/** `externalId` → `DUPLICATE_EXTERNAL_ID`; the fields of a composite key are joined by `_`. */
export function duplicateCode(fields: readonly string[]): ProblemCode {
  const upperSnake = (name: string) => name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toUpperCase();
  return `DUPLICATE_${fields.map(upperSnake).join("_")}`;
}
