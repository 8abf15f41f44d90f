import { Retryable, type Storage } from "restwright";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { expect, test } from "vitest";
import { keysOf } from "../../adapters/stores/blobs/blobContents.js";
import { clientOf, type Received, type Sent } from "../../tools/client.js";
import { fullService } from "../../tools/fullService.js";

const stream = { "content-type": "application/offset+octet-stream" };
const form = { "content-type": "multipart/form-data; boundary=b" };
const part = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\n\r\nhello\r\n`;
const hello = Buffer.from("hello");

interface Case {
  readonly name: string;
  readonly sent: (send: (sent: Sent) => Promise<Received>) => Promise<Sent>;
  /** Blobs that were there before. */
  readonly before: number;
}

const cases: readonly Case[] = [
  { name: "a file", sent: async () => ({ target: "/uploads", body: hello }), before: 0 },
  { name: "a form", sent: async () => ({ target: "/avatars", headers: form, body: `${part("a")}${part("b")}--b--\r\n` }), before: 0 },
  {
    name: "a beginning with all bytes",
    sent: async () => ({ target: "/uploads", headers: { ...stream, "upload-length": "5" }, body: hello }),
    before: 0,
  },
  {
    name: "a concatenation",
    async sent(send) {
      const headers = { ...stream, "upload-length": "5", "upload-concat": "partial" };
      const { headers: answered } = await send({ method: "POST", target: "/uploads", headers, body: hello });
      return { target: "/uploads", headers: { "upload-concat": `final;${String(answered["location"])}` } };
    },
    before: 1,
  },
];

/** A storage whose transactions lose against others at their end, so often. */
function losing(times: number): Storage {
  const memory = memoryStorage();
  const transaction = memory.transaction?.bind(memory);
  if (transaction === undefined) throw new Error("The storage has no transactions.");
  let left = times;
  return {
    ...memory,
    transaction: (run, options) =>
      transaction(async (tx) => {
        const result = await run(tx);
        left -= 1;
        if (left >= 0) throw new Retryable("Somebody else was faster.");
        return result;
      }, options),
  };
}

function open(times: number) {
  const [storage, blobs] = [losing(times), memoryBlobs()];
  const heard: string[] = [];
  const uploads = { types: "any", forms: { avatars: { types: "any" } }, onReady: ({ id }: { readonly id: string }) => void heard.push(id) } as const;
  // The key of what failed is free again a moment later.
  const idempotency = { waitMs: 1_000 };
  const send = clientOf(fullService({ resources: [], storage, blobs, uploads, idempotency, onError: () => {} }));
  const use = async () => storage.uploads?.use(undefined, "address ");
  const post = (sent: Sent) => send({ ...sent, method: "POST", headers: { ...sent.headers, "idempotency-key": "a-key-of-many-characters" } });
  return { send, post, blobs, heard, use };
}

test.each(cases)("$name under a key that loses against others is made once, and told of once", async ({ sent, before }) => {
  const { send, post, blobs, heard } = open(3);
  const request = await sent(send);
  const [first, again] = [await post(request), await post(request)];
  expect([first.status, again.status, again.headers["location"]]).toEqual([201, 201, first.headers["location"]]);
  expect(heard).toEqual([...new Set(heard)]);
  expect(heard).toHaveLength((await keysOf(blobs)).length - before);
});

test.each(cases)("$name under a key that has lost for good leaves nothing, and counts for nothing", async ({ sent, before }) => {
  const { send, post, blobs, heard, use } = open(4);
  const request = await sent(send);
  const used = await use();
  expect((await post(request)).status).toBe(503);
  expect(await keysOf(blobs)).toHaveLength(before);
  expect(heard).toEqual([]);
  expect(await use()).toEqual(used);
  expect((await post(request)).status).toBe(201);
});
