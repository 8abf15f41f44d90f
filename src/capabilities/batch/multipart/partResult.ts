/** The response to one operation of a multipart batch. */
export interface PartResult {
  /** The name of the operation, if it has one: a Content-ID or a form field. */
  readonly name?: string | undefined;
  /** The index of the operation in the batch, from 0. */
  readonly index: number;
  readonly status: number;
  /** Without `content-length`, which is computed from the body. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** `null` means no body. */
  readonly body: string | null;
}

/** A result whose body is text or, if it is large, the bytes to send. */
export interface WrittenResult extends Omit<PartResult, "body"> {
  readonly body: string | Uint8Array | null;
}
