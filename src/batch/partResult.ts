/** What one operation of a multipart batch answers. */
export interface PartResult {
  /** The operation's name, where it has one: a Content-ID, or a form field. */
  readonly name?: string | undefined;
  /** Its place in the batch, from 0. */
  readonly index: number;
  readonly status: number;
  /** Without `content-length`, which follows from the body. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** `null` is no body at all. */
  readonly body: string | null;
}
