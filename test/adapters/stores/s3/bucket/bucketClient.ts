import { setImmediate as turn } from "node:timers/promises";
import type { S3Client } from "restwright/s3";
import { type FakeBucket, FakeError } from "./bucket.js";
import { type FakeAnswer, operations } from "./operations.js";

const pageSize = 9;

/** Asks a bucket without a network: thousands of calls are answered at once, however busy the machine is. What is asked for is at `/<name of the bucket>/<key>`. */
export function bucketClient(bucket: FakeBucket): S3Client {
  return async ({ method, url, body: chunks }) => {
    await turn();
    const [, key = ""] = /^\/[^/]+\/?(.*)$/.exec(url.pathname) ?? [];
    const operation = operations.find(({ matches }) => matches({ method, key, url }));
    if (operation === undefined) throw new Error(`${method} ${url.pathname} is no operation.`);
    const call = { name: operation.name, key, url, headers: {}, body: Buffer.concat(chunks), pageSize, equalParts: false };
    const { status = 200, headers = {}, body = "" } = answerOf(() => operation.run(bucket, call));
    return { status, header: (name) => headers[name]?.toString(), body: bytesOf(body) };
  };
}

function answerOf(run: () => FakeAnswer): FakeAnswer {
  try {
    return run();
  } catch (error) {
    if (error instanceof FakeError) return { status: error.status, body: `<Error><Code>${error.code}</Code></Error>` };
    throw error;
  }
}

async function* bytesOf(body: string | Buffer): AsyncGenerator<Uint8Array> {
  yield Buffer.from(body);
}
