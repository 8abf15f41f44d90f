import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { HttpResponse } from "../../../ground/http/message.js";
import { once } from "../../../ground/http/once.js";
import { selectEncoding } from "../../../language/negotiation/encoding.js";

/** A file that pages load. Its address has its hash, so that caches keep it for good. */
export interface Asset {
  /** Below `assets/`: hash and name. */
  readonly path: string;
  /** @see https://www.w3.org/TR/SRI/ */
  readonly integrity: string;
  /**
   * The answer with the file, compressed if the client accepts it.
   *
   * @throws {ProblemError} MALFORMED_HEADER
   */
  answer(acceptEncoding: string | undefined): Promise<HttpResponse>;
}

const types = { css: "text/css; charset=utf-8", js: "text/javascript; charset=utf-8" } as const;

/** Compressing larger files as far as possible would take seconds. */
const smallBytes = 200_000;

/** @param name with the extension `css` or `js` */
export function makeAsset(name: `${string}.${keyof typeof types}`, text: string): Asset {
  const bytes = Buffer.from(text);
  const digest = createHash("sha384").update(bytes).digest();
  const headers = {
    "content-type": name.endsWith(".css") ? types.css : types.js,
    "cache-control": "public, max-age=31536000, immutable",
    "cross-origin-resource-policy": "same-origin",
  };
  // Not before a client asks for it.
  const compress = { br: once(() => brotli(bytes)), gzip: once(() => promisify(gzip)(bytes, { level: 9 })) };
  return {
    path: `${digest.toString("base64url").slice(0, 16)}/${name}`,
    integrity: `sha384-${digest.toString("base64")}`,
    async answer(acceptEncoding) {
      const coding = selectEncoding(acceptEncoding, ["br", "gzip"]);
      if (coding !== "br" && coding !== "gzip") return { status: 200, headers: { ...headers }, body: bytes };
      return { status: 200, headers: { ...headers, "content-encoding": coding }, body: await compress[coding]() };
    },
  };
}

function brotli(bytes: Buffer): Promise<Buffer> {
  return promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: bytes.length > smallBytes ? 9 : 11 } });
}
