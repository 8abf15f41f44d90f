import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type FakeBucket, FakeError } from "./bucket.js";
import { xmlText } from "./listings.js";
import { type FakeAnswer, type FakeCall, operations } from "./operations.js";
import { type FakeKeys, refuseChecksum, refuseSignature } from "./signature.js";

/**
 * What goes wrong with a call: `refuse` answers 503 SlowDown, `lack` 501 NotImplemented, `drop` ends the connection before anything is done and `lose` after, `stall` says nothing, `cut` ends
 * the connection in the middle of the body, `trickle` stops there, `fail` answers 200 with an error in the body.
 */
export type Trouble = "refuse" | "lack" | "drop" | "lose" | "stall" | "cut" | "trickle" | "fail";

export interface FakeOptions {
  readonly keys?: FakeKeys | undefined;
  readonly region?: string | undefined;
  /** Entries on a page of a listing; 1,000 unless given. */
  readonly pageSize?: number | undefined;
  /** Parts of one length, as R2 wants them. */
  readonly equalParts?: boolean | undefined;
  readonly now?: (() => number) | undefined;
}

export interface S3Fake {
  readonly endpoint: string;
  readonly region: string;
  readonly keys: FakeKeys;
  /** All calls, in order: `PutObject`. */
  readonly calls: string[];
  /** Says what goes wrong with a call; replaced by tests. */
  trouble: (call: FakeCall) => Trouble | undefined;
  /** A new bucket, and its name. */
  bucket(): string;
  /** What is in a bucket. */
  inside(name: string): FakeBucket;
  close(): Promise<void>;
}

/** S3 in memory on a port of this machine, strict in what it takes. */
export async function startS3Fake(options: FakeOptions = {}): Promise<S3Fake> {
  const { region = "eu-test-1", pageSize = 1_000, equalParts = false, now = Date.now } = options;
  const keys = options.keys ?? { accessKeyId: "AKIDFAKE", secretAccessKey: "secret/of+the=fake" };
  const buckets = new Map<string, FakeBucket>();
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => {
      if (error instanceof FakeError) refuse(request, response, error);
      else response.destroy(error instanceof Error ? error : undefined);
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "", `http://${request.headers.host}`);
    const body = await bodyOf(request);
    const refusal = refuseSignature({ request, url, body, keys, region, nowMs: now() }) ?? refuseChecksum(request, body);
    if (refusal !== undefined) throw new FakeError(...refusal);
    const [, bucketName = "", key = ""] = /^\/([^/]+)\/?(.*)$/.exec(decodeURIComponent(url.pathname)) ?? [];
    const operation = operations.find(({ matches }) => matches({ method: request.method ?? "", key, url }));
    if (operation === undefined) throw new FakeError(501, "NotImplemented");
    const call: FakeCall = { name: operation.name, key, url, headers: request.headers, body, pageSize, equalParts };
    fake.calls.push(operation.name);
    const bucket = buckets.get(bucketName);
    if (bucket === undefined) throw new FakeError(404, "NoSuchBucket");
    const trouble = fake.trouble(call);
    if (trouble === "refuse") throw new FakeError(503, "SlowDown");
    if (trouble === "lack") throw new FakeError(501, "NotImplemented");
    if (trouble === "drop") return void request.socket.destroy();
    if (trouble === "stall") return;
    if (trouble === "fail") return send(response, { body: "\n\n<Error><Code>InternalError</Code></Error>" });
    const answered = operation.run(bucket, call);
    if (trouble === "lose") return void request.socket.destroy();
    send(response, answered, request.method === "HEAD" ? "HEAD" : trouble);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const fake: S3Fake = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region,
    keys,
    calls: [],
    trouble: () => undefined,
    bucket() {
      const name = `bucket-${buckets.size + 1}`;
      buckets.set(name, { objects: new Map(), uploads: new Map() });
      return name;
    },
    inside: (name) => buckets.get(name) ?? { objects: new Map(), uploads: new Map() },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  if (request.headers["transfer-encoding"] !== undefined) throw new FakeError(411, "MissingContentLength");
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function send(response: ServerResponse, { status = 200, headers = {}, body = "" }: FakeAnswer, how?: Trouble | "HEAD"): void {
  const bytes = Buffer.from(body);
  const type = typeof body === "string" && body !== "" ? { "content-type": "application/xml" } : {};
  const length = status === 204 ? {} : { "content-length": bytes.length };
  response.writeHead(status, { ...type, ...length, "x-amz-request-id": "1", ...headers });
  if (how === "HEAD") return void response.end();
  if (how !== "cut" && how !== "trickle") return void response.end(bytes);
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => how === "cut" && response.destroy());
}

/** What was signed, and with which key, stands in the answers of Amazon: it must not get into messages. */
function refuse(request: IncomingMessage, response: ServerResponse, { status, code }: FakeError): void {
  const said = `<Error><Code>${code}</Code><Message>no</Message><AWSAccessKeyId>AKIDFAKE</AWSAccessKeyId><StringToSign>${xmlText(String(request.headers.authorization))}</StringToSign></Error>`;
  send(response, { status, body: said }, request.method === "HEAD" ? "HEAD" : undefined);
}
