import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** What a page has that people cannot perceive or operate: at 320 and 1,000 pixels, in light and dark. It does not scroll sideways either. */
export async function faultsOf(page: Page): Promise<string[]> {
  const faults: string[] = [];
  // Not a script of the page, so that its policy is as it was sent.
  await page.evaluate(axe.source);
  for (const width of [320, 1_000]) {
    for (const colorScheme of ["light", "dark"] as const) {
      const found = (text: string) => faults.push(`${width} ${colorScheme}: ${text}`);
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      if (await page.evaluate("document.documentElement.scrollWidth > innerWidth")) found("scrolls sideways");
      const { violations } = await page.evaluate<AxeResults>(`axe.run({ runOnly: ${JSON.stringify(rules)} })`);
      for (const { id, nodes } of violations) found(`${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 200))}`);
    }
  }
  return faults;
}
