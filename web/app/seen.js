/** Work that waits until its element comes into sight. */

/** Pictures are drawn when they come into sight. @type {WeakMap<Element, () => void>} */
const hidden = new WeakMap();
const sight = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      sight.unobserve(target);
      hidden.get(target)?.();
    }
  },
  { rootMargin: '40px' },
);

/** Does something when an element comes into sight. @param {Element} element @param {() => void} work */
export function whenSeen(element, work) {
  hidden.set(element, work);
  sight.observe(element);
}
