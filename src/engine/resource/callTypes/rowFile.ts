/** The file of a row, as `fields: ["avatar.url"]` and `include: ["avatar"]` show it in place of its id. */
export interface RowFile {
  readonly id: string;
  /** Sanitized; never a path. */
  readonly filename: string;
  /** Media type detected from its bytes. */
  readonly contentType: string;
  /** In bytes. */
  readonly size: number;
  /** SHA-256 in lower-case hex. */
  readonly sha256: string;
  /** Dimensions of an image in pixels. */
  readonly image?: { readonly width: number; readonly height: number } | undefined;
  /** RFC 3339. */
  readonly createdAt: string;
  /** Needs credentials that may read the row and the field, unless the file is public. */
  readonly url: string;
  /** Needs no credentials, for ten to fifteen minutes; absent if the file is public. */
  readonly signedUrl?: string | undefined;
}
