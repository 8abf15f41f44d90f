// @slow

import { gunzipSync, gzipSync } from "node:zlib";
import { memoryBlobs } from "restwright/memory";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Sent, send } from "../adapters/hosts/client.js";
import { eventually } from "../tools/eventually.js";
import { sampleNote } from "../tools/extent.js";
import { type ShopHost, startShopHost } from "./shop/shopHost.js";
import { shopPlaces } from "./shop/shopPlaces.js";

const rows = 2_500;
const header = "name,email,tags,address.city,address.country";

/** Every hundredth row has an address that is none. */
function fileOf(round: string): string {
  const lines = Array.from({ length: rows }, (_, index) => {
    const email = index % 100 === 99 ? `nobody ${index}` : `${round}.${index}@example.com`;
    return `"Customer, ${index}",${email},a|b,Zürich,CH`;
  });
  return `${header}\r\n${lines.join("\r\n")}\r\n`;
}

describe.each(shopPlaces)(`files of the shop behind %s on %s${sampleNote}`, (host, _, open) => {
  let shop: ShopHost;
  beforeAll(async () => {
    shop = await startShopHost(host, open, { blobs: memoryBlobs() });
  });
  afterAll(() => shop.close());
  const ask = async (target: string, sent: Sent = {}) => {
    const { status, headers, body } = await send(shop.port, target, sent);
    return { status, headers, body, text: body.toString() };
  };
  const ended = (location: string) =>
    eventually(async () => {
      const job = JSON.parse((await ask(location)).text);
      expect(["completed", "failed"]).toContain(job.status);
      return job;
    });
  const csv = { "content-type": "text/csv" };

  test("imports a file as a job, reports what failed, and imports the mended report", async () => {
    const accepted = await ask("/imports?collection=users", { method: "POST", headers: csv, body: fileOf("first") });
    expect([accepted.status, accepted.headers["location"]]).toEqual([202, expect.stringMatching(/^\/imports\//)]);
    const location = String(accepted.headers["location"]);
    const job = await ended(location);
    expect(job).toMatchObject({ status: "completed", progress: 1, processedRows: rows, totalRows: rows, result: { created: 2_475, failed: 25 } });
    const report = await ask(`${location}/errors`);
    expect([report.headers["content-type"], report.text.split("\r\n")[0]]).toEqual([
      "text/csv; charset=utf-8",
      `${header},_row,_line,_code,_field,_message`,
    ]);
    const mended = report.text.replaceAll(/nobody (\d+)/g, "mended.$1@example.com");
    const again = await ask("/users/import?formulas=escaped", { method: "POST", headers: csv, body: mended });
    expect([again.status, JSON.parse(again.text).result]).toEqual([200, { created: 25, updated: 0, skipped: 0, failed: 0 }]);
  });

  test("takes gzip, a body in pieces and a file with the wrong header", async () => {
    const body = gzipSync(fileOf("second"));
    const accepted = await ask("/jobs/import?collection=users", { method: "POST", headers: { ...csv, "content-encoding": "gzip" }, body });
    expect(await ended(String(accepted.headers["location"]))).toMatchObject({ status: "completed", result: { created: 2_475 } });
    const pieces = await ask("/users/import", { method: "POST", headers: csv, body: ["name,em", "ail\nAda,ada@", "example.com\n"] });
    expect([pieces.status, JSON.parse(pieces.text).result.created]).toEqual([200, 1]);
    const wrong = await ask("/imports?collection=users", { method: "POST", headers: csv, body: "nome,email\nx,y\n" });
    expect([wrong.status, JSON.parse(wrong.text).errors.map(({ code }: { code: string }) => code)]).toEqual([
      422,
      ["UNKNOWN_COLUMN", "MISSING_COLUMN"],
    ]);
  });

  test("exports what the list has, at once and as a file that is fetched in parts", async () => {
    const query = "fields=name,email,tags&sort=id&email[like]=first.*";
    const now = await ask(`/users/export?format=csv&${query}`);
    expect([now.status, now.headers["content-type"]]).toEqual([200, "text/csv; charset=utf-8"]);
    expect(now.text.split("\r\n")).toHaveLength(2_475 + 2);
    const accepted = await ask("/exports", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        collection: "users",
        format: "csv",
        fields: ["name", "email", "tags"],
        sort: ["id"],
        filter: { email: { like: "first.*" } },
        gzip: true,
      }),
    });
    expect(accepted.status, accepted.text).toBe(202);
    const job = await ended(String(accepted.headers["location"]));
    expect(job).toMatchObject({ status: "completed", result: { rows: 2_475 } });
    const whole = await ask(job.result.downloadUrl);
    expect(gunzipSync(whole.body).toString()).toBe(now.text);
    const half = Math.floor(whole.body.length / 2);
    const first = await ask(job.result.downloadUrl, { headers: { range: `bytes=0-${half - 1}` } });
    const second = await ask(job.result.downloadUrl, { headers: { range: `bytes=${half}-`, "if-range": String(first.headers["etag"]) } });
    expect([first.status, second.status, Buffer.concat([first.body, second.body]).equals(whole.body)]).toEqual([206, 206, true]);
    // What was exported is what is imported: the same file comes out again.
    const back = await ask("/users/import?mode=upsert&key=email&skipUnchanged=true&formulas=escaped", {
      method: "POST",
      headers: csv,
      body: now.text,
    });
    expect(JSON.parse(back.text).result).toEqual({ created: 0, updated: 0, skipped: 2_475, failed: 0 });
  });
});
