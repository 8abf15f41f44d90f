import { expect, test } from "vitest";
import { clientOf } from "../../tools/client.js";
import { hostileService, hostileTexts } from "./hostileService.js";
import { textOf } from "./pageSite.js";

const elements =
  /^(?:!doctype|html|head|meta|title|link|script|body|a|header|p|div|nav|ul|ol|li|details|summary|main|section|h[1-4]|code|pre|span|wbr|table|caption|thead|tbody|tr|th|td|dl|dt|dd|strong|em|br|hr|blockquote)$/;
const attributes =
  /^(?: (?:html|data-try|data-base|data-filter|data-required|open|(?:lang|charset|name|content|rel|href|src|integrity|class|id|scope|role|tabindex|aria-label|title|data-[a-z]+)="[^"<>]*"))*$/;

test("texts of an attacker are texts: there is no element, attribute or link of theirs", async () => {
  const { text, status } = await clientOf(hostileService())({ target: "/docs" });
  expect(status).toBe(200);
  let scripts = 0;
  for (const [, name = "", rest = ""] of text.matchAll(/<\/?([^\s>]+)([^>]*)>/g)) {
    expect(name).toMatch(elements);
    expect(rest).toMatch(attributes);
    if (name === "script" && rest !== "") scripts++;
  }
  expect(scripts).toBe(1);
  for (const [, target = ""] of text.matchAll(/ (?:href|src)="([^"]*)"/g)) expect(target).not.toMatch(/^\s*(?:javascript|data:[^,]|\/\/)/i);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
  expect(text).not.toMatch(/[\u0000\u001b\u202e\u2066]/);
});

test("all of them can be read", async () => {
  const { text } = await clientOf(hostileService())({ target: "/docs" });
  const shown = textOf(text);
  for (const hostile of hostileTexts.slice(0, 4)) expect(shown).toContain(hostile);
  expect(shown).toContain("[U+202E]elitsoh[U+2066]");
  expect(shown.split("hostile").length).toBeGreaterThan(100);
});
