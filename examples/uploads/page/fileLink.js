/** A link to a file, with the image where it is one. */
export function fileLink({ address, filename, image }) {
  const link = document.createElement("a");
  link.href = address;
  link.textContent = filename;
  if (image !== undefined) link.prepend(imageOf(address, image));
  return link;
}

function imageOf(address, { width, height }) {
  const image = document.createElement("img");
  // The name beside it says what it is.
  Object.assign(image, { src: address, alt: "", width, height });
  return image;
}
