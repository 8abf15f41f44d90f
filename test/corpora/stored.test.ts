// @long

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { faultOf } from "./expectSafe.js";
import { corporaStage, type WireAnswer, type WireRequest } from "./stage.js";
import { naughtyStrings } from "./strings.js";

const stage = corporaStage();
beforeAll(async () => {
  await stage.send({ method: "POST", target: "/people", headers: { "content-type": "application/json" }, body: '{"name":"Ada"}' });
});
afterAll(() => stage.service.close());

type Send = (sent: WireRequest) => Promise<WireAnswer>;

const json = (value: unknown) => ({ headers: { "content-type": "application/json" }, body: JSON.stringify(value) });
const get = (target: string, headers: Readonly<Record<string, string>> = {}) => ({ method: "GET", target, headers });
const parsed = ({ body }: WireAnswer) => JSON.parse(body.toString());
const tus = { "tus-resumable": "1.0.0" };

/** Ways on which a text comes into the service, and all on which it comes out again. */
const ways: Readonly<Record<string, (text: string, send: Send) => Promise<void>>> = {
  "an id that a client chooses": async (text, send) => {
    const created = await send({ method: "POST", target: "/notes", ...json({ id: text, personId: 1, text }) });
    const location = created.headers["location"];
    if (created.status !== 201) return;
    await send(get(String(location)));
    await send(get("/notes?sort=-id&perPage=1&fields=id"));
    await send({ method: "DELETE", target: String(location), headers: {} });
  },
  "the value of a filter, which is in the links of its list": async (text, send) => {
    if (!text.isWellFormed()) return;
    await send(get(`/people?name[ne]=${encodeURIComponent(text)}&perPage=1&page=1`));
    await send(get(`/people?q=${encodeURIComponent(text)}&perPage=1`));
  },
  "the name of a file": async (text, send) => {
    if (!text.isWellFormed()) return;
    const headers = { "content-type": "text/plain", "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(text)}` };
    const uploaded = await send({ method: "POST", target: "/uploads", headers, body: "hello" });
    if (uploaded.status === 201) await send(get(parsed(uploaded).url));
  },
  "the name of a file in a form": async (text, send) => {
    const name = text.replace(/["\r\n]/g, (each) => encodeURIComponent(each));
    const body = `--b\r\ncontent-disposition: form-data; name="f"; filename="${name}"\r\n\r\nhello\r\n--b--\r\n`;
    const uploaded = await send({ method: "POST", target: "/avatars", headers: { "content-type": "multipart/form-data; boundary=b" }, body });
    if (uploaded.status === 201) await send(get(parsed(uploaded).url));
  },
  "the metadata of a resumable upload": async (text, send) => {
    const metadata = `filename ${Buffer.from(text).toString("base64")},note ${Buffer.from(text).toString("base64")}`;
    const created = await send({ method: "POST", target: "/uploads", headers: { ...tus, "upload-length": "0", "upload-metadata": metadata } });
    if (created.status !== 201) return;
    const at = String(created.headers["location"]);
    await send({ method: "HEAD", target: at, headers: tus });
    const shown = await send(get(at));
    if (parsed(shown).url) await send(get(parsed(shown).url));
  },
  "the type of a file": async (text, send) => {
    const uploaded = await send({
      method: "POST",
      target: "/uploads",
      headers: { "content-type": `text/plain; a=${Buffer.from(text).toString("latin1")}` },
      body: "hello",
    });
    if (uploaded.status === 201) await send(get(parsed(uploaded).url));
  },
  "the URL of a webhook": async (text, send) => {
    const created = await send({
      method: "POST",
      target: "/webhooks",
      ...json({ url: `https://hooks.example.com/${text}`, events: ["*"], filter: { name: text } }),
    });
    if (created.status !== 201) return;
    await send(get(String(created.headers["location"])));
    await send({ method: "POST", target: `${created.headers["location"]}/test`, headers: {} });
    await send({ method: "DELETE", target: String(created.headers["location"]), headers: {} });
  },
  "a row, which is in exports": async (text, send) => {
    const created = await send({ method: "POST", target: "/people", ...json({ name: text, tags: [text], extra: { [text]: text } }) });
    if (created.status !== 201) return;
    const { id } = parsed(created);
    for (const accept of ["text/csv", "application/x-ndjson", "application/json"]) await send(get(`/people/export?id=${id}`, { accept }));
    await send({ method: "DELETE", target: `/people/${id}`, headers: {} });
  },
};

test.each(Object.entries(ways))("naughty strings do no harm when they come back as %s", async (_, way) => {
  const faults: string[] = [];
  let succeeded = 0;
  for (const text of naughtyStrings) {
    await way(text, async (sent) => {
      const answer = await stage.send(sent);
      const fault = faultOf(answer);
      if (fault !== undefined) faults.push(`${sent.method} ${sent.target}, ${JSON.stringify(text)}: ${fault}`);
      if (answer.status < 300) succeeded += 1;
      return answer;
    });
  }
  expect(faults.slice(0, 10)).toEqual([]);
  expect(succeeded).toBeGreaterThan(naughtyStrings.length / 10);
});

test("naughty strings do no harm in the report of an import whose rows fail", async () => {
  const texts = naughtyStrings.filter((text) => text.isWellFormed() && !text.includes("\0"));
  // A tag has at most 500 characters, so that every row fails.
  const rows = texts.map((text) => `"${text.replaceAll('"', '""')}",${"x".repeat(501)}\r\n`).join("");
  const target = "/imports?collection=people&onError=continue";
  const accepted = await stage.send({ method: "POST", target, headers: { "content-type": "text/csv" }, body: `name,tags\r\n${rows}` });
  expect(accepted.status).toBe(202);
  const at = String(accepted.headers["location"]);
  while (!/^(?:completed|failed)$/.test(parsed(await stage.send(get(at))).status)) await sleep(10);
  for (const accept of ["text/csv", "application/json"]) {
    const report = await stage.send(get(`${at}/errors`, { accept }));
    expect([report.status, faultOf(report)]).toEqual([200, undefined]);
    expect(report.body.toString()).toContain("DROP TABLE");
  }
});
