import assert from "node:assert/strict";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { openBrowser } from "../../e2e/pages/browser.js";
import { png } from "./fetchStory.js";
import { startRecorder } from "./recorder.js";
import { expectStory } from "./story.js";
import type { Tool } from "./tool.js";

/** Points the page at the document, as its own file of settings does at the document of a pet shop. */
const initializer = (url: string) => `window.onload = () => {
  window.ui = SwaggerUIBundle({ url: ${JSON.stringify(url)}, dom_id: "#swagger-ui", presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset], layout: "StandaloneLayout" });
};
`;

/** Swagger UI as it is published, in a browser, beside a shop that is mounted below a path: a person tells the story by its forms. */
export const swaggerUi: Tool = {
  name: "Swagger UI",
  packages: { "swagger-ui-dist": "5.35.0" },
  environment: { BASE_PATH: "/v1" },
  works: "all but uploads, below a mount as well",
  lacks: { upload: "a form whose parts may have any name is shown as a text, without a file to choose" },
  differs:
    "filters have one value each, operators are not shown: the form has `minTotal`; a filter that is an object alone (`lines`) is filled in, to be emptied",
  async attempt({ workplace, shop }) {
    const package_ = "node_modules/swagger-ui-dist";
    workplace.write(`${package_}/swagger-initializer.js`, initializer(`${new URL(shop).pathname}/openapi.json`));
    const recorder = await startRecorder(shop, join(workplace.folder, package_));
    const browser = await openBrowser();
    try {
      const { page, complaints } = await browser.open(`${new URL(recorder.origin).origin}/pages/index.html`);
      await tellStory(page);
      assert.deepEqual(
        complaints.filter((text) => !text.includes("412")),
        [],
      );
      expectStory(recorder.exchanges);
    } finally {
      await browser.close();
      recorder.close();
    }
  },
};

async function tellStory(page: Page): Promise<void> {
  const user = await send(page, "users.create", { body: { name: "Ada", email: `${crypto.randomUUID()}@example.com` } });
  const order = { customerId: user.row.id, total: 12.5, currency: "EUR" };
  const { row } = await send(page, "orders.create", { body: order });
  await send(page, "orders.create", { body: { ...order, total: 5 } });
  const fields = { customerId: String(user.row.id), status: "open", minTotal: "10", sort: ["-createdAt", "id"] };
  const list = await send(page, "orders.list", { fields });
  assert.deepEqual(
    list.row.data.map(({ id }: { id: number }) => id),
    [row.id],
  );
  const { tag } = await send(page, "orders.read", { fields: { id: String(row.id) } });
  const guarded = { id: String(row.id), "If-Match": tag };
  assert.equal((await send(page, "orders.update", { fields: guarded, body: { note: "gift" } })).row.note, "gift");
  assert.equal((await send(page, "orders.update", { fields: guarded, body: { note: "late" } })).status, 412);
  assert.equal((await send(page, "avatars.create", { file: { name: "a.png", mimeType: "image/png", buffer: png } })).status, 201);
  await send(page, "batch.create", {
    body: {
      operations: [
        { method: "GET", url: `/orders/${row.id}` },
        { method: "DELETE", url: `/orders/${row.id}` },
      ],
    },
  });
}

interface Form {
  readonly fields?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: object;
  readonly file?: { readonly name: string; readonly mimeType: string; readonly buffer: Buffer };
}

/** Opens an operation, fills in its form and sends it. */
async function send(page: Page, operation: string, { fields = {}, body, file }: Form) {
  const section = page.locator(`.opblock[id$="-${operation.replace(".", "\\\\.")}"]`);
  if (!(await section.getAttribute("class"))?.includes("is-open")) {
    await section.locator(".opblock-summary-control").first().click();
    await section.locator(".try-out__btn").click();
  }
  for (const [name, value] of Object.entries(fields)) await fill(section.locator(`tr[data-param-name="${name}"]`), value);
  if (body !== undefined) await section.locator("textarea.body-param__text").fill(JSON.stringify(body));
  if (file !== undefined) await section.locator("input[type=file]").setInputFiles(file);
  const sent = page.waitForResponse((response) => /\/v1\/(?:users|orders|avatars|batch)/.test(response.url()));
  await section.locator("button.execute").click();
  const response = await sent;
  const text = await response.text();
  return { status: response.status(), tag: response.headers()["etag"] ?? "", row: text === "" ? undefined : JSON.parse(text) };
}

async function fill(row: Locator, value: string | readonly string[]): Promise<void> {
  const select = row.locator("select");
  if ((await select.count()) > 0) await select.selectOption(typeof value === "string" ? value : [...value]);
  else await row.locator("input, textarea").first().fill(String(value));
}
