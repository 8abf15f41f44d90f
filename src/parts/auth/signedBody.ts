import { createHash } from "node:crypto";
import { hashBytes } from "../../ground/http/body/hashBytes.js";
import type { RequestHeaders } from "../../ground/http/headers/headers.js";
import type { HttpRequest, RequestBody } from "../../ground/http/message.js";
import { withChanges } from "../../ground/http/withChanges.js";
import { ProblemError } from "../../ground/problem/index.js";
import type { ArrivedBody, SignedBody } from "./verifier.js";

/**
 * The body of a request, for {@link Verifier.openBody} of a verifier that checks bodies. Until the verifier uses it, the body is not touched.
 *
 * @example
 * const verifier: Verifier = { scheme: "Signature", openBody: signedBody, challenge, verify };
 */
export function signedBody(arrived: ArrivedBody): SignedBody {
  return new CheckedBody(arrived);
}

class CheckedBody implements SignedBody {
  readonly #arrived: ArrivedBody;
  #request: HttpRequest;
  /** Whether a body that must be compared is being read. */
  #isUnverified = false;

  constructor(arrived: ArrivedBody) {
    this.#arrived = arrived;
    this.#request = arrived.request;
  }

  get request(): HttpRequest {
    return this.#request;
  }

  async sha256(): Promise<string | undefined> {
    if (this.#isMissing()) return digest(new Uint8Array(0));
    if (this.#arrived.isStreamed) return undefined;
    const bytes = await this.#arrived.read(this.#request);
    this.#request = withChanges(this.#request, { body: { kind: "bytes", bytes } });
    return digest(bytes);
  }

  async expectSha256(sha256Hex: string): Promise<void> {
    const { body } = this.#request;
    if (!this.#isMissing() && body.kind === "stream") {
      this.#request = withChanges(this.#request, { body: { kind: "stream", stream: this.#compared(body.stream, sha256Hex), isSigned: true } });
      return;
    }
    const bytes = body.kind === "bytes" ? body.bytes : new Uint8Array(0);
    if ((await digest(bytes)) !== sha256Hex) throw this.#arrived.refuse();
  }

  requireCompared(): void {
    if (this.#isUnverified) throw this.#arrived.refuse();
  }

  /** @throws {ProblemError} INTERNAL for a body that a body parser of the host has parsed */
  #isMissing(): boolean {
    const { body } = this.#request;
    if (body.kind === "none") return true;
    if (isMissing(body, this.#arrived.headers)) {
      this.#request = withChanges(this.#request, { body: { kind: "none" } });
      return true;
    }
    if (body.kind !== "parsed") return false;
    const detail = "A body parser of this server has parsed the body, so the bytes that were signed are lost. Mount restwright before body parsers.";
    throw new ProblemError("INTERNAL", detail);
  }

  async *#compared(stream: AsyncIterable<Uint8Array>, sha256Hex: string): AsyncGenerator<Uint8Array, void, undefined> {
    this.#isUnverified = true;
    const hash = createHash("sha256");
    for await (const chunk of stream) {
      hash.update(chunk);
      yield chunk;
    }
    if (hash.digest("hex") !== sha256Hex) throw this.#arrived.refuse();
    this.#isUnverified = false;
  }
}

/** Whether a request has no body. Body parsers of hosts return a value for a missing body too. */
export function isMissing(body: RequestBody, headers: RequestHeaders): boolean {
  const length = headers.get("content-length");
  if (body.kind === "none" || length === "0") return true;
  return body.kind === "parsed" && length === undefined && headers.get("transfer-encoding") === undefined;
}

async function digest(bytes: Uint8Array): Promise<string> {
  return (await hashBytes("sha256", bytes)).digest("hex");
}
