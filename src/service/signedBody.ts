import { createHash } from "node:crypto";
import type { AuthBody } from "../auth/verifier.js";
import { hashBytes } from "../http/body/hashBytes.js";
import type { RequestHeaders } from "../http/headers.js";
import type { HttpRequest, RequestBody } from "../http/message.js";
import type { Environment } from "../operation/environment.js";
import type { Operation } from "../operation/operation.js";
import { ProblemError } from "../problem/index.js";
import { readBytes } from "./body.js";

/** The request that has the body. */
interface Arrived {
  readonly request: HttpRequest;
  readonly headers: RequestHeaders;
  readonly operation: Operation;
  readonly environment: Environment;
  /** The 401 for another body than the one that was signed. */
  refuse(): ProblemError;
}

/** The body of a request as verifiers see it. Until one uses it, the body is not touched. */
export class SignedBody implements AuthBody {
  readonly #arrived: Arrived;
  #request: HttpRequest;
  /** Whether a body that must be compared is being read. */
  #isUnverified = false;

  constructor(arrived: Arrived) {
    this.#arrived = arrived;
    this.#request = arrived.request;
  }

  /** The request for the operation: its body is the one that was read, or one that fails at its end if it is not the body that was signed. */
  get request(): HttpRequest {
    return this.#request;
  }

  async sha256(): Promise<string | undefined> {
    const { operation, environment, headers } = this.#arrived;
    const { body: rule, readsBody } = operation;
    if (this.#isMissing()) return digest(new Uint8Array(0));
    if (rule?.receive !== undefined || readsBody === true) return undefined;
    const bytes = await readBytes(this.#request, headers, rule ?? { limitBytes: environment.limits.jsonBodyBytes }, environment);
    this.#request = withBody(this.#request, { kind: "bytes", bytes });
    return digest(bytes);
  }

  async expectSha256(sha256Hex: string): Promise<void> {
    const { body } = this.#request;
    if (!this.#isMissing() && body.kind === "stream") {
      this.#request = withBody(this.#request, { kind: "stream", stream: this.#compared(body.stream, sha256Hex), isSigned: true });
      return;
    }
    const bytes = body.kind === "bytes" ? body.bytes : new Uint8Array(0);
    if ((await digest(bytes)) !== sha256Hex) throw this.#arrived.refuse();
  }

  /**
   * Refuses a body that was not read to its end, because it could not be compared.
   *
   * @throws {ProblemError} UNAUTHENTICATED
   */
  requireCompared(): void {
    if (this.#isUnverified) throw this.#arrived.refuse();
  }

  /** @throws {ProblemError} INTERNAL for a body that a body parser of the host has parsed */
  #isMissing(): boolean {
    const { headers } = this.#arrived;
    const { body } = this.#request;
    const length = headers.get("content-length");
    if (body.kind === "none") return true;
    if (length === "0" || (body.kind === "parsed" && length === undefined && headers.get("transfer-encoding") === undefined)) {
      // Body parsers of hosts return a value for a missing body too.
      this.#request = withBody(this.#request, { kind: "none" });
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

async function digest(bytes: Uint8Array): Promise<string> {
  return (await hashBytes("sha256", bytes)).digest("hex");
}

/** Not a copy by spreading: hosts create the signal when it is read. */
function withBody(request: HttpRequest, body: RequestBody): HttpRequest {
  const { method, path, query, mount, headers, address, native } = request;
  return {
    method,
    path,
    query,
    mount,
    headers,
    body,
    get signal() {
      return request.signal;
    },
    address,
    native,
  };
}
