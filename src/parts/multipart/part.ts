/** A field of a form. */
export interface FieldPart {
  readonly kind: "field";
  /** As sent; any text that is not empty, including `__proto__`. */
  readonly name: string;
  /** The decoded value; bytes that are invalid in the charset of the field become U+FFFD. */
  readonly value: string;
  /** `type/subtype` in lower case, if declared. A part with a multipart type is read as text. */
  readonly declaredContentType: string | undefined;
}

/** A file of a form. */
export interface FilePart {
  readonly kind: "file";
  /** Name of the form field, as sent; any text that is not empty. */
  readonly name: string;
  /** Sanitized, safe to store and display, see `docs/uploads.md`; never a path. `unnamed` if the client sent no name. */
  readonly filename: string;
  /** `type/subtype` in lower case, as declared by the client; not verified against the bytes. */
  readonly declaredContentType: string | undefined;
  /** The charset that the client declared, in lower case. */
  readonly charset: string | undefined;
  /**
   * The content; iterate it once, before the next part is requested. Bytes are read from the client only on demand; unread bytes are dropped when the next part is
   * requested. The reader owns each chunk.
   *
   * It fails with the error that ends the form. A file that is read to its end is complete, but the form may still fail.
   */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** A part of a form. */
export type Part = FieldPart | FilePart;
