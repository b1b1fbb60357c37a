//! The QR code of a second factor, read as a phone reads it, by an independent library.

use serde_json::json;

use crate::support::TestApp;

/// Decodes a picture of black rectangles on white.
fn read(svg: &str) -> String {
    let attribute = |name: &str| svg.split_once(&format!(" {name}=\"")).unwrap().1.split('"').next().unwrap();
    let (width, height): (usize, usize) = (attribute("width").parse().unwrap(), attribute("height").parse().unwrap());
    let mut grey = vec![255; width * height];
    for rectangle in attribute("d").split('M').skip(1) {
        // `x yhWIDTHvHEIGHTHxVy`
        let numbers = rectangle.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty());
        let numbers: Vec<usize> = numbers.map(|number| number.parse().unwrap()).collect();
        let [left, top, wide, high] = numbers[..4] else { panic!("{rectangle}") };
        for y in top..top + high {
            grey[y * width + left..y * width + left + wide].fill(0);
        }
    }
    let mut image = rqrr::PreparedImage::prepare_from_greyscale(width, height, |x, y| grey[y * width + x]);
    let grids = image.detect_grids();
    assert_eq!(grids.len(), 1);
    grids[0].decode().unwrap().1
}

#[actix_web::test]
async fn the_picture_of_a_second_factor_says_its_address() {
    let app = TestApp::start().await;
    for name in ["anna", "abcdefghijklmnopqrstuvwx"] {
        let player = app.player(name).await;
        let body = json!({ "current_password": player.password });
        let setup = player.post("/v1/account/second-factor", body).await.expect(200);
        let svg = setup["qr_code"].as_str().unwrap();
        assert_eq!(read(svg), setup["uri"]);
        assert!(svg.is_ascii() && !svg.contains("<script") && !svg.contains("href"), "{svg}");
    }
}
