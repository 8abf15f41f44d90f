// @slow

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { begin as beginServer } from "../../capabilities/live/restarted.js";
import { needs } from "../../tools/engines.js";
import { eventually } from "../../tools/eventually.js";
import { programFolder } from "../../tools/programFolder.js";
import { openBrowser } from "./browser.js";

/** The code of the page in docs/live.md. */
const documented =
  /```js\n(let position[^`]*(?:`[^`\n]+`[^`]*)*)```/.exec(readFileSync(new URL("../../../docs/live.md", import.meta.url), "utf8"))?.[1] ?? "";

/** What the documented code leaves to the page: its token, and what it does with events. */
const page = `<!doctype html><link rel=icon href=data:,><script>
const token = "ada";
const told = [];
const apply = (type, { id }) => told.push(id === undefined ? type : type + " " + id);
${documented}
connect();
</script>`;

/** A server with the page at its root. */
const begin = (path: string, port?: number) =>
  beginServer(path, port, ({ url }, response) => {
    if (url !== "/") return false;
    response.writeHead(200, { "content-type": "text/html" }).end(page);
    return true;
  });

describe("an EventSource with tickets, in Chromium", needs("chromium"), () => {
  test("goes on over the end and the begin of the server, with no event missing or told twice", { timeout: 60_000 }, async () => {
    const path = join(programFolder(), "data.db");
    const first = await begin(path);
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    const tab = await browser.open(`http://127.0.0.1:${first.port}/`);
    const hasTold = (expected: readonly string[]) => eventually(async () => expect(await tab.page.evaluate("told")).toEqual(expected));
    await hasTold(["ready"]);
    await first.service.asSystem().orders.create({ id: "a", owner: "ada" });
    await first.service.asSystem().orders.create({ id: "b", owner: "bob" });
    await hasTold(["ready", "created a"]);
    await first.end();

    // Another process writes while there is no server.
    const meanwhile = await begin(path);
    await meanwhile.service.asSystem().orders.create({ id: "c", owner: "ada" });
    await meanwhile.service.asSystem().orders.update("a", { status: "paid" });
    await meanwhile.end();

    const second = await begin(path, first.port);
    onTestFinished(() => second.end());
    await hasTold(["ready", "created a", "created c", "left a"]);
    await second.service.asSystem().orders.remove("c");
    await hasTold(["ready", "created a", "created c", "left a", "removed c"]);
  });
});
