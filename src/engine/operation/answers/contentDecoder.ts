import type { ProblemError } from "../../../ground/problem/index.js";
import type { Offer } from "../offers.js";

/** Decodes the content codings of request bodies. */
export interface ContentDecoder {
  /** The codings that clients may use, as in `Accept-Encoding`. */
  readonly codings: readonly string[];
  /**
   * Decodes a body.
   *
   * @param coding in lower case
   * @throws {ProblemError} MALFORMED_COMPRESSION, PAYLOAD_TOO_LARGE, and the one of `tooLarge`
   */
  decode(bytes: Uint8Array, coding: string, limits: DecodingLimits): Promise<Uint8Array>;
}

/** The limits of a body, and where it comes from. */
export interface DecodingLimits {
  /** Limit of the decoded body. */
  readonly limitBytes: number;
  /** Makes the error for a larger body; PAYLOAD_TOO_LARGE if it is not set. */
  readonly tooLarge?: (() => ProblemError) | undefined;
  /** Whether a body parser of the host may have decoded the body already (false). */
  readonly mayBeDecoded?: boolean | undefined;
}

/** Without the capability, bodies must come without a content coding. */
export const contentDecoder: Offer<ContentDecoder> = { name: "compression" };
