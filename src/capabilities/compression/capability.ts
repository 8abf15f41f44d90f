import type { Capability } from "../../engine/capability/capability.js";
import type { Host } from "../../engine/capability/host.js";
import type { ContentDecoder } from "../../engine/operation/answers/contentDecoder.js";
import { listOf, oneOf, optionsCheck, passing, strict, whole } from "../../ground/options/index.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import { codeAnswers } from "./codeAnswers.js";
import { type Coding, type CompressionLevels, coderOf, supportedCodings } from "./coders.js";
import { compressibleTypes } from "./compressible.js";
import { decodeBody } from "./decodeBody.js";

/** Which answers are compressed, and how. */
export interface CompressionOptions {
  /** For answers, in the order of preference if a client accepts several equally, and for request bodies. Defaults to `br`, `zstd` if Node.js has it (22.15), and `gzip`. */
  readonly codings?: readonly Coding[] | undefined;
  /** The level of each coding. Defaults: 4 for `br`, 6 for `gzip`, 3 for `zstd`. */
  readonly levels?: CompressionLevels | undefined;
  /** Shorter answers are sent as they are, in bytes (1,024). */
  readonly minBytes?: number | undefined;
  /** Media types to compress, such as `text/*` and `application/*+json`. Defaults to text, JSON, XML, NDJSON, scripts and SVG. */
  readonly types?: readonly string[] | undefined;
}

const mediaType = /^[\w!#$&^.+-]+\/(?:\*|(?:\*\+)?[\w!#$&^.+-]+)$/;

const checkCompressionOptions = /* @__PURE__ */ optionsCheck("compression", () =>
  strict<CompressionOptions>({
    codings: listOf(oneOf("br", "gzip", "zstd"), "an array with a coding", 1),
    levels: strict<CompressionLevels>({ br: whole(0, 11), gzip: whole(1, 9), zstd: whole(1, 22) }),
    minBytes: whole(0, 1_073_741_824),
    types: listOf(
      passing(`a media type such as "text/csv", "text/*" or "application/*+json"`, (value) => typeof value === "string" && mediaType.test(value)),
      "an array with a media type",
      1,
    ),
  }),
);

/**
 * Compresses answers for clients that accept it, and decodes compressed request bodies.
 *
 * @throws {ConfigurationError} for an unknown option, an invalid value, and a coding that this Node.js does not have
 * @see RFC 9110 §8.4, §12.5.3
 * @example
 * createService({ resources, storage, use: [compression()] });
 */
export function compression(options: CompressionOptions = {}): Capability {
  checkCompressionOptions(options);
  const { codings = supportedCodings, levels = {}, minBytes = 1_024, types } = options;
  requireCodings(codings);
  const decoder: ContentDecoder = {
    codings: codings.flatMap((coding) => (coding === "gzip" ? ["gzip", "x-gzip"] : coding)),
    decode: decodeBody,
  };
  const rules = {
    codings,
    coders: Object.fromEntries(codings.map((coding) => [coding, coderOf(coding, levels[coding])])),
    isCompressible: compressibleTypes(types),
    minBytes,
  };
  return {
    name: "compression",
    open: (host) => ({
      offers: decoder,
      adds: { answerHeaders: ["Content-Encoding"] },
      wrapHandle: (handle) =>
        codeAnswers({ ...rules, logger: host.environment.logger, hasSecret: ({ method, path }) => hasSecret(host, method, path) }, handle),
    }),
  };
}

/** The answer to a repetition under an Idempotency-Key has the same secret as before, and an attacker could compare lengths. */
function hasSecret(host: Host, method: string, path: string): boolean {
  return host.find(method === "HEAD" ? "GET" : method, path)?.operation?.sealAnswers !== undefined;
}

function requireCodings(codings: readonly Coding[]): void {
  for (const [index, coding] of codings.entries()) {
    if (codings.indexOf(coding) !== index) throw new ConfigurationError(`compression: "codings" names "${coding}" twice.`);
    if (!supportedCodings.includes(coding)) {
      throw new ConfigurationError(
        `compression: "codings" names "${coding}", which this Node.js does not have; allowed: ${supportedCodings.join(", ")}.`,
      );
    }
  }
}
