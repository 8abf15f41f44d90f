/** A field of a form. */
export interface FieldPart {
  readonly kind: "field";
  /** As sent; any text that is not empty, `__proto__` as well. */
  readonly name: string;
  /** What is no character in the charset of the field is U+FFFD. */
  readonly value: string;
  /** `type/subtype` in lower case, where one was declared. A part of another multipart type is text like any other. */
  readonly declaredContentType: string | undefined;
}

/** A file of a form. */
export interface FilePart {
  readonly kind: "file";
  /** That of the form's control, as sent; any text that is not empty. */
  readonly name: string;
  /** Made safe to be kept and shown, see `docs/uploads.md`; never a path to anything. `unnamed` where there was none. */
  readonly filename: string;
  /** `type/subtype` in lower case as the client says; nothing has looked at the bytes. */
  readonly declaredContentType: string | undefined;
  /** The charset that the client declared, in lower case. */
  readonly charset: string | undefined;
  /**
   * The content, to be iterated once, before the next part is asked for. Bytes are read from the client only when they are asked for here; what is not read is
   * dropped with the next part. A chunk belongs to who reads it.
   *
   * It ends in the problem that ends the form: a file that is read to its end is whole, the form need not be.
   */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** A part of a form. */
export type Part = FieldPart | FilePart;
