import { defineResource } from "restwright";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { file } from "restwright/uploads";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { fullService } from "../../../../tools/fullService.js";
import { type Sent, send } from "../../client.js";
import type { Host, RunningHost } from "../../host.js";

const people = defineResource("people", {
  schema: z.object({ id: z.int(), name: z.string(), avatar: file("image/*").nullable().default(null) }),
  generated: { id: "increment" },
});

/** The smallest PNG. */
const dot = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==", "base64");
const boundary = "multipart/form-data; boundary=b";

/** A file that a row holds, from the form to the picture in a page. */
export function fileFieldChecks(host: Host): void {
  const service = fullService({
    ...{ resources: [people], storage: memoryStorage(), blobs: memoryBlobs() },
    uploads: { types: "any", forms: { pictures: { types: ["image/png"] } } },
  });
  let running: RunningHost;
  beforeAll(async () => {
    running = await host.start(service.handle, { mount: "/v1" });
  });
  afterAll(async () => {
    await running.close();
    await service.close();
  });

  const ask = async (method: string, path: string, { headers = {}, body }: Sent = {}) => {
    const answer = await send(running.port, path, { method, headers, ...(body !== undefined && { body }) });
    const text = answer.body.toString();
    return { status: answer.status, bytes: answer.body, json: /json/.test(String(answer.headers["content-type"])) ? JSON.parse(text) : undefined };
  };
  const json = (body: object, type = "application/json"): Sent => ({ headers: { "Content-Type": type }, body: JSON.stringify(body) });

  it("is sent in a form, claimed by one row, shown at a signed address, and free again without the row", async () => {
    const head = '--b\r\nContent-Disposition: form-data; name="picture"; filename="me.png"\r\nContent-Type: image/png\r\n\r\n';
    const form = Buffer.concat([Buffer.from(head), dot, Buffer.from("\r\n--b--\r\n")]);
    const sent = await ask("POST", "/v1/pictures", { headers: { "Content-Type": boundary }, body: form });
    expect(sent).toMatchObject({ status: 201 });
    const avatar = sent.json.id;
    const made = await ask("POST", "/v1/people", json({ name: "Ada", avatar }));
    expect(made).toMatchObject({ status: 201, json: { avatar } });
    const second = await ask("POST", "/v1/people", json({ name: "Bo", avatar }));
    expect(second).toMatchObject({ status: 422, json: { code: "FILE_NOT_AVAILABLE", errors: [{ code: "FILE_NOT_AVAILABLE", pointer: "/avatar" }] } });

    const { data } = (await ask("GET", "/v1/people?fields=name,avatar{signedUrl,size,image}")).json;
    expect(data).toEqual([
      { name: "Ada", avatar: { signedUrl: expect.stringMatching(/^\/v1\/files\//), size: dot.length, image: { width: 1, height: 1 } } },
    ]);
    const picture = await ask("GET", data[0].avatar.signedUrl);
    expect([picture.status, picture.bytes.equals(dot)]).toEqual([200, true]);

    expect((await ask("DELETE", `/v1/uploads/${avatar}`)).status).toBe(409);
    const changed = await ask("PATCH", `/v1/people/${made.json.id}`, json({ avatar: null }, "application/merge-patch+json"));
    expect(changed).toMatchObject({ status: 200, json: { avatar: null } });
    expect((await ask("DELETE", `/v1/uploads/${avatar}`)).status).toBe(204);
  });
}
