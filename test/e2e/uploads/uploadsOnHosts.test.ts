// @slow

import { createHash } from "node:crypto";
import { connect } from "node:net";
import { codes } from "restwright";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keysOf } from "../../adapters/stores/blobs/blobContents.js";
import { malformedForms } from "../../capabilities/uploads/multipart/malformedForms.js";
import { type ShopHost, startShopHost } from "../shop/shopHost.js";

const boundaryB = "multipart/form-data; boundary=b";

describe.each(["express", "fastify", "hono", "koa"] as const)("on %s", (name) => {
  const storage = memoryStorage();
  const blobs = memoryBlobs();
  const faults: unknown[] = [];
  let host: ShopHost;
  let origin: string;
  beforeAll(async () => {
    host = await startShopHost(name, async () => [storage, async () => {}], {
      blobs,
      uploads: { types: "any", forms: { pictures: { types: "any" } } },
      onError: (error) => faults.push(error),
    });
    origin = `http://127.0.0.1:${host.port}`;
  });
  afterAll(() => host.close());

  test("every malformed form is refused under its code, and leaves nothing", async () => {
    const before = await keysOf(blobs);
    const forms = malformedForms.filter(([, , , , options = {}]) => Object.keys(options).every((option) => option === "contentType"));
    expect(forms.length).toBeGreaterThan(60);
    for (const [what, body, code, , { contentType = boundaryB } = {}] of forms) {
      const answer = await postRaw(host.port, "/pictures", contentType, body);
      expect({ what, answer: answer.slice(0, 12), code: /"code":"([A-Z_]+)"/.exec(answer)?.[1] }).toEqual({
        what,
        answer: `HTTP/1.1 ${codes[code as keyof typeof codes].status}`,
        code,
      });
    }
    expect(await keysOf(blobs)).toEqual(before);
    expect(await storage.uploads?.use(undefined, "address 127.0.0.1")).toEqual({ open: 0, bytes: 0 });
    expect(faults).toEqual([]);
  });

  test("a file goes to the address that was signed for it, once, and comes back", async () => {
    const bytes = Buffer.alloc(300_000, "presigned ");
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const asked = { filename: "notes.txt", contentType: "text/plain", size: bytes.length, sha256 };
    const signed = await fetch(`${origin}/uploads/presign`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(asked),
    });
    expect(signed.status).toBe(201);
    const { uploadUrl, method, headers, fileUrl } = (await signed.json()) as {
      uploadUrl: string;
      method: string;
      headers: Record<string, string>;
      fileUrl: string;
    };
    expect((await fetch(new URL(fileUrl, origin))).status).toBe(404);
    const wrong = await fetch(new URL(uploadUrl, origin), { method, headers, body: bytes.subarray(1) });
    expect([wrong.status, ((await wrong.json()) as { code: string }).code]).toEqual([413, "FILE_TOO_LARGE"]);
    const sent = await fetch(new URL(uploadUrl, origin), { method, headers, body: bytes });
    expect([sent.status, sent.headers.get("etag")]).toEqual([201, `"${sha256}"`]);
    const again = await fetch(new URL(uploadUrl, origin), { method, headers, body: bytes });
    expect(again.status).toBe(409);
    const file = await fetch(new URL(fileUrl, origin));
    expect(Buffer.from(await file.arrayBuffer()).equals(bytes)).toBe(true);
    expect(file.headers.get("content-disposition")).toContain("notes.txt");
    const changed = await fetch(new URL(uploadUrl.replace(/e=\d+/, "e=9999999999"), origin), { method, headers, body: bytes });
    expect(changed.status).toBe(403);
  });
});

/** What is answered to a form that no client would make. */
function postRaw(port: number, path: string, contentType: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const bytes = Buffer.from(body);
    const type = contentType === "" ? [] : [`Content-Type: ${contentType}`];
    const head = [`POST ${path} HTTP/1.1`, "Host: test", ...type, `Content-Length: ${bytes.length}`, "Connection: close", "", ""].join("\r\n");
    const socket = connect(port, "127.0.0.1", () => socket.write(Buffer.concat([Buffer.from(head, "latin1"), bytes])));
    const answers: Buffer[] = [];
    socket.setTimeout(10_000, () => socket.destroy(new Error("Nothing was answered.")));
    socket.on("data", (chunk) => answers.push(Buffer.from(chunk)));
    socket.on("error", reject);
    socket.on("close", () => resolve(Buffer.concat(answers).toString()));
  });
}
