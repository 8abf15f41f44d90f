/**
 * A label with a file input in it, onto which files can be dropped. The input stays an input, so that the keyboard and screen readers choose files as anywhere else.
 *
 * @param zone the label
 * @param take is called with the files
 * @param refuse is called with a text if what was dropped cannot be taken
 */
export function dropZone(zone, take, refuse) {
  const input = zone.querySelector("input");
  input.addEventListener("change", () => {
    if (input.files.length > 0) take([...input.files]);
  });
  zone.addEventListener("dragover", () => zone.classList.toggle("over", !input.disabled));
  zone.addEventListener("dragleave", ({ relatedTarget }) => {
    if (!zone.contains(relatedTarget)) zone.classList.remove("over");
  });
  // A file that misses the zone would be opened by the browser instead of the page.
  for (const type of ["dragover", "drop"]) window.addEventListener(type, (event) => event.preventDefault());
  zone.addEventListener("drop", ({ dataTransfer }) => {
    zone.classList.remove("over");
    if (input.disabled) return;
    const items = [...dataTransfer.items].filter(({ kind }) => kind === "file");
    const isFolder = (item) => item.webkitGetAsEntry?.()?.isDirectory === true;
    const files = items.flatMap((item) => (isFolder(item) ? [] : (item.getAsFile() ?? [])));
    if (!input.multiple && files.length > 1) return refuse("Drop one file only.");
    if (files.length > 0) take(files);
    // At last: `take` removes what was said of an earlier drop.
    if (files.length < items.length) refuse("Folders cannot be sent: choose the files in them.");
  });
}
