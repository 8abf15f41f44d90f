import { type ApiError, ClientError, type ErrorCode } from "../errors.js";

/** An error as refine shows it. `cause` is that of the client. */
export class RefineError extends Error {
  override readonly name = "RefineError";
  /** The status of the answer; 0 if there was none. */
  readonly statusCode: number;
  readonly code: ErrorCode | undefined;
  /** The faults of each field, for forms. */
  readonly errors: Readonly<Record<string, string[]>> | undefined;

  constructor(cause: ClientError) {
    super(cause.message, { cause });
    const { status = 0, code, fields } = cause as Partial<ApiError>;
    this.statusCode = status;
    this.code = code;
    this.errors = fields && Object.keys(fields).length > 0 ? fields : undefined;
  }
}

/** Other errors, such as that of an aborted call, stay as they are. */
export function asRefineError(error: unknown): unknown {
  return error instanceof ClientError ? new RefineError(error) : error;
}
